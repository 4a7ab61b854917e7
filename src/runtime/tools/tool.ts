import type { WebSearch } from '../../config.ts'
import type { AgentAuthor, Scope } from '../../db/scope.ts'
import type { Egress } from '../../lib/egress.ts'
import type { KeyedSemaphore } from '../../lib/keyed-semaphore.ts'
import type { AgentWithRelations } from '../../resources/agents/load.ts'
import type { McpDeps } from '../../resources/mcp-servers/call.ts'
import type { ContentPart, StoredMessage } from '../../resources/messages/table.ts'
import type { SearchDeps } from '../../resources/passages/prepare-search.ts'
import type { Tool } from '../../resources/tools/schema.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { Memory } from '../memory.ts'
import type { GroupTurn, RunRequest } from '../request.ts'

/** A message of an agent, by a call of a tool, to another agent. */
export interface Letter {
  from: AgentAuthor
  to: string
  text: string
  /** The agents, one behind the other, that have passed on messages before. */
  hops: number
  /** The group in whose turn it is sent. */
  group?: GroupTurn | undefined
}

/** The post between agents. A letter of a call is sent once, though the call runs again. */
export interface Letters {
  /** Sends a letter. 404, 409, and a ToolError where agents have passed on too many messages. */
  tell(scope: Scope, letter: Letter): Promise<void>
  /** Sends a letter, and waits for the texts of the reply. As `tell`; a ToolError where the receiver waits for the sender. */
  ask(scope: Scope, letter: Letter, signal: AbortSignal): Promise<string[]>
}

/** The way of tools to the web. */
export interface Web {
  egress: Egress
  services: WebSearch
  /** The turns of an organization to read pages. */
  turns: KeyedSemaphore
}

/** The services of the server that tools use. */
export interface ToolServices extends SearchDeps {
  searchTurns: KeyedSemaphore
  web: Web
  findTool: FindTool
  letters: Letters
  sandbox: Sandbox
  mcp: McpDeps
}

/** What a built-in tool works with. */
export interface ToolContext {
  scope: Scope
  agent: AgentWithRelations
  memory: Memory
  /** The id of the call. */
  callId: string
  /** The author of what the call writes. */
  author: AgentAuthor
  /** See `Letter`. */
  hops: number
  /** See `RunRequest`. */
  group?: GroupTurn | undefined
  thinksAbout?: RunRequest['thinksAbout']
  /** The messages in context, with those of the caller. */
  rows: readonly StoredMessage[]
  services: ToolServices
  /** Aborted when the run is cancelled, or this server gives it up. */
  signal: AbortSignal
}

/** Arguments of a call, as the model gave them. */
export type Arguments = Readonly<Record<string, unknown>>

/** What a call writes. The transaction's scope is that of the agent. */
export type ToolEffect = (tx: Scope) => Promise<void>

/**
 * The return of a call. `effect` is written in the transaction that stores the return: both happen, or neither.
 */
export interface ToolResult {
  status: 'success' | 'error'
  output: string
  /** The return as parts, where there are images among them. */
  content?: ContentPart[]
  stdout?: string[] | null
  stderr?: string[] | null
  /** Whether the call can't be made at all, however often the model tries: its run ends. */
  unusable?: boolean
  /** New values of memory blocks by label, which the step stores with the return. */
  memory?: Readonly<Record<string, string>>
  effect?: ToolEffect
}

/**
 * A built-in tool: returns its text, or throws a ToolError. A call may run more than once before it is stored: what it writes
 * outside of `memory` and `effect` must be the same the second time.
 */
export type BuiltinTool = (args: Arguments, context: ToolContext) => string | Promise<string | ToolResult>

/**
 * A tool with effects outside of the transaction that stores the return. Its calls are noted before they run: one that was
 * interrupted is not run again, unless the tool is `repeatable`, as one that only reads or does the same the second time is.
 * `context.signal` is aborted when the run is cancelled.
 */
export interface OutsideTool {
  outside: 'once' | 'repeatable'
  run(args: Arguments, context: ToolContext): Promise<string | ToolResult>
}

/** Finds what runs a tool; undefined for one that this server can't run. */
export type FindTool = (tool: Tool) => BuiltinTool | OutsideTool | undefined
