import { answersByText } from '../resources/messages/fan-out.ts'
import type { StopReason } from '../resources/messages/schema.ts'
import { asksForStep } from './added-arguments.ts'
import type { Call } from './calls.ts'
import { childRuleOf, continues, endsRun, missingBeforeExit, type PastCall, wasBlocked } from './tool-rules.ts'
import type { ToolResult } from './tools/tool.ts'
import type { Turn } from './turn.ts'

/** The sequel of a step: the run ends for a reason, or goes on, maybe with a message that says why. */
export interface Sequel {
  end?: StopReason
  heartbeat?: string
}

/** A call with its result. */
export interface Executed {
  call: Pick<Call, 'name' | 'args'>
  result: ToolResult
}

/** The calls that count for the rules: those that the server didn't refuse. */
export const countedCalls = (executed: readonly Executed[]): PastCall[] =>
  executed.flatMap(({ call, result }) => (wasBlocked(result) ? [] : { name: call.name, output: result.output }))

/** The sequel of calls in an agent that goes on until it answers by text, or a tool ends its turn. */
function afterCalls({ agent }: Turn, executed: readonly Executed[]): Sequel {
  const rules = agent.row.tool_rules ?? []
  return countedCalls(executed).some(({ name }) => endsRun(rules, name)) ? { end: 'tool_rule' } : {}
}

/** The sequel of the one call of an agent that answers by a tool: it goes on where a rule or the model says so. */
function afterCall({ agent }: Turn, { call, result }: Executed): Sequel {
  const rules = agent.row.tool_rules ?? []
  const { name } = call
  if (wasBlocked(result)) return { heartbeat: `The call of ${name} was refused: make another.` }
  if (endsRun(rules, name)) return { end: asksForStep(call) ? 'tool_rule' : 'end_turn' }
  if (childRuleOf(rules, name)) return { heartbeat: `A tool rule names the tools that follow ${name}.` }
  if (continues(rules, name)) return { heartbeat: `A tool rule has your turn go on after ${name}.` }
  if (!asksForStep(call)) return { end: 'end_turn' }
  return { heartbeat: `${result.status === 'error' ? 'The call failed. ' : ''}You asked for another step.` }
}

/**
 * The sequel of executed calls, or of an answer without a call. Tools that must be called before the end of a run keep it going,
 * unless this was the last step. `past` are the counted calls of the run, these among them.
 */
export function sequelOf(
  turn: Turn,
  executed: readonly Executed[],
  past: readonly PastCall[],
  { isLast = false, cut = false }: { isLast?: boolean; cut?: boolean } = {},
): Sequel {
  const [first] = executed
  const byText = answersByText(turn.agent.row.agent_type)
  if (executed.some(({ result }) => result.unusable)) return { end: 'invalid_tool_call' }
  const rules = turn.agent.row.tool_rules ?? []
  const names = turn.agent.tools.map(({ name }) => name!)
  const missing = missingBeforeExit(rules, names, past)
  if (!first) {
    if (missing.length === 0 || isLast) return { end: cut ? 'max_tokens_exceeded' : 'end_turn' }
    return { heartbeat: `Call ${missing.join(', ')} before your turn ends.` }
  }
  const sequel = byText ? afterCalls(turn, executed) : afterCall(turn, first)
  if (sequel.end && missing.length === 0) return sequel
  if (isLast) return { end: 'max_steps' }
  if (byText) return {}
  return sequel.end ? { heartbeat: `Call ${missing.join(', ')} before your turn ends.` } : sequel
}
