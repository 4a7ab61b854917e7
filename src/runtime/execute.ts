import type { Tool } from '../resources/tools/schema.ts'
import { observeTool } from '../telemetry/runs.ts'
import { ownArguments } from './added-arguments.ts'
import type { Call } from './calls.ts'
import { runOutside } from './ledger.ts'
import { setValue, ToolError } from './memory.ts'
import { parametersOf } from './prescribed.ts'
import { asCall, isRefusal } from './refused.ts'
import { BLOCKED, refusalOf } from './tool-rules.ts'
import type { ToolResult } from './tools/tool.ts'
import type { Turn } from './turn.ts'

/** Characters of a tool's return, where the tool names no limit. */
const RETURN_LIMIT = 50_000

const failed = (message: string): ToolResult => ({ status: 'error', output: message })

/** The error of a call that a tool began: its message, and a line for developers. */
const raised = ({ name }: Call, message: string): ToolResult => ({
  ...failed(message),
  stderr: [`Error executing function ${name}: ${message}`],
})

/** A return cut to the limit of its tool, with a note. */
export function limited(result: ToolResult, limit: number | undefined | null): ToolResult {
  const max = limit ?? RETURN_LIMIT
  if (result.output.length <= max) return result
  const note = `… [cut: the return has ${result.output.length} characters, of which the tool's limit shows ${max}]`
  const output = result.output.slice(0, max) + note
  const content = result.content?.filter(({ type }) => type === 'image')
  return { ...result, output, ...(content && { content: [{ type: 'text', text: output }, ...content] }) }
}

const asResult = (returned: string | ToolResult): ToolResult =>
  typeof returned === 'string' ? { status: 'success', output: returned } : returned

async function runTool(turn: Turn, stepId: string, tool: Tool, call: Call): Promise<ToolResult> {
  const found = turn.tools.findTool(tool)
  if (!found) return failed(`The tool ${tool.name} can't run: its source is in no language that this server runs.`)
  const { scope, agent, memory, run, request, signal, tools: services } = turn
  const refusal = turn.refused.get(call.id)
  if (refusal) throw new ToolError(refusal)
  const author = { agent_id: run.agentId, run_id: run.id, tool_call_id: call.id }
  const hops = request.hops ?? 0
  const { group, thinksAbout } = request
  const rows = [...turn.rows, ...turn.inputs]
  const context = { scope, agent, memory, callId: call.id, author, hops, group, thinksAbout, rows, services, signal }
  const args = ownArguments(call.args!, parametersOf(tool))
  if (typeof found === 'function') {
    const { effect, ...result } = asResult(await found(args, context))
    return { ...result, ...(effect && { effect: (tx) => asCall(call.id, () => effect(tx.asAgent(author))) }) }
  }
  const runIt = async (own: AbortSignal) => asResult(await found.run(args, { ...context, signal: own }))
  const result = await runOutside(turn, stepId, call, found, runIt)
  for (const [label, value] of Object.entries(result.memory ?? {})) setValue(memory, label, value, call.id)
  return result
}

/** Whether a call has effects outside of the transaction that stores its return. */
export function isOutside({ agent, tools }: Turn, { name }: Call): boolean {
  const tool = agent.tools.find((tool) => tool.name === name)
  return tool !== undefined && typeof tools.findTool(tool) === 'object'
}

/**
 * Runs a call of a step. An error of the tool is its result: the model reads it, and the run goes on. `allowed` are the tools that the
 * rules allow now.
 */
export async function executeCall(
  turn: Turn,
  stepId: string,
  call: Call,
  allowed: readonly string[],
): Promise<ToolResult> {
  if (!allowed.includes(call.name)) {
    return failed(refusalOf(turn.agent.row.tool_rules ?? [], call.name, allowed, turn.calls.at(-1)?.name))
  }
  if (!call.args) {
    return raised(call, `${BLOCKED} The arguments are no JSON object: write them again, shorter if they were cut.`)
  }
  if (call.problem) return { ...failed(call.problem), unusable: true }
  const tool = turn.agent.tools.find(({ name }) => name === call.name)
  if (!tool) return failed(`There is no tool ${call.name}.`)
  try {
    const result = await observeTool(turn.telemetry, call, () => runTool(turn, stepId, tool, call))
    return limited(result, tool.return_char_limit)
  } catch (error) {
    if (!(error instanceof ToolError || isRefusal(error))) throw error
    return raised(call, error.message)
  }
}

/**
 * Runs calls: those of tools that may run in parallel at once, then the others one behind the other, each on what the others have
 * left. The results are in the order of the calls.
 */
export async function executeCalls(
  turn: Turn,
  stepId: string,
  calls: readonly Call[],
  allowed: readonly string[],
): Promise<ToolResult[]> {
  const isParallel = ({ name }: Call) =>
    turn.agent.tools.some((tool) => tool.name === name && tool.enable_parallel_execution)
  const begun = calls.map((call) => (isParallel(call) ? executeCall(turn, stepId, call, allowed) : undefined))
  const first = await Promise.allSettled(begun)
  const results: ToolResult[] = []
  for (const [n, call] of calls.entries()) {
    const settled = first[n]!
    if (settled.status === 'rejected') throw settled.reason
    results.push(settled.value ?? (await executeCall(turn, stepId, call, allowed)))
  }
  return results
}
