import { answersByText } from '../resources/messages/fan-out.ts'
import type { Call } from './calls.ts'
import type { Turn } from './turn.ts'

/** The argument by which a model that has no thoughts of its own writes down its thought before a call. */
const THOUGHT = 'thinking'

/** The argument by which a model asks for another step after a call. */
const HEARTBEAT = 'request_heartbeat'

/** Whether the model of an agent that answers by a tool writes its thoughts into its calls. */
export const writesThoughts = ({ agent, config }: Pick<Turn, 'agent' | 'config'>): boolean =>
  !answersByText(agent.row.agent_type) &&
  (config.put_inner_thoughts_in_kwargs ?? !(config.enable_reasoner || config.reasoning_effort))

type Parameters = { properties?: Record<string, unknown>; required?: string[] }

/** The parameters of a tool with those that agents who answer by a tool add: a thought first, a heartbeat last. */
export function withAddedArguments(parameters: Parameters, thought: boolean, heartbeat: boolean): object {
  const { properties = {}, required = [] } = parameters
  const first = thought ? { [THOUGHT]: { type: 'string', description: 'Your thought before this call.' } } : {}
  const last = heartbeat
    ? { [HEARTBEAT]: { type: 'boolean', description: 'Whether you want another step after this call.' } }
    : {}
  const added = [...Object.keys(first), ...Object.keys(last)]
  return {
    ...parameters,
    properties: { ...first, ...properties, ...last },
    required: [...new Set([...Object.keys(first), ...required, ...added])],
  }
}

/** A call without the thought in it, and the thought. */
export function takeThought(call: Call): { call: Call; thought: string | undefined } {
  if (!call.args || typeof call.args[THOUGHT] !== 'string') return { call, thought: undefined }
  const { [THOUGHT]: thought, ...args } = call.args
  return { call: { ...call, args, input: JSON.stringify(args) }, thought: thought as string }
}

/** The names of the arguments of a call that hold a thought. */
export const thoughtArguments = (writes: boolean): string[] => (writes ? [THOUGHT] : [])

/** Whether a call asks for another step. */
export const asksForStep = ({ args }: Pick<Call, 'args'>): boolean => String(args?.[HEARTBEAT]).toLowerCase() === 'true'

/** The arguments that a tool gets: without the added ones, unless they are the tool's own. */
export function ownArguments(args: Record<string, unknown>, { properties = {} }: Parameters): Record<string, unknown> {
  const isOwn = ([name]: [string, unknown]) => name in properties || (name !== THOUGHT && name !== HEARTBEAT)
  return Object.fromEntries(Object.entries(args).filter(isOwn))
}
