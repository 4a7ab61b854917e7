import type { Scope } from '../../db/scope.ts'
import type { AgentWithRelations } from '../../resources/agents/load.ts'
import type { Memory } from '../memory.ts'

/** What a built-in tool works with. */
export interface ToolContext {
  scope: Scope
  agent: AgentWithRelations
  memory: Memory
  /** The id of the call. */
  callId: string
}

/** Arguments of a call, as the model gave them. */
export type Arguments = Readonly<Record<string, unknown>>

/** The return of a call. `effect` is written in the transaction that stores the return: both happen, or neither. */
export interface ToolResult {
  status: 'success' | 'error'
  output: string
  stdout?: string[] | null
  stderr?: string[] | null
  effect?: (tx: Scope) => Promise<void>
}

/** A built-in tool: returns its text, or throws a ToolError. */
export type BuiltinTool = (args: Arguments, context: ToolContext) => string | Promise<string | ToolResult>
