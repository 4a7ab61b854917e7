import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { answersByText } from '../resources/messages/fan-out.ts'
import type { Tool } from '../resources/tools/schema.ts'
import { withAddedArguments, writesThoughts } from './added-arguments.ts'
import { parametersOf } from './prescribed.ts'
import { allowedTools, allowsParallelCalls, endsRun, needsApproval } from './tool-rules.ts'
import type { Turn } from './turn.ts'

/** The tools that a step offers to the model. */
export interface Offer {
  /** The names of the server's tools that the rules allow, and of the caller's tools. */
  allowed: string[]
  /** Arguments that rules prescribe, by tool. */
  prefilled: Map<string, Record<string, unknown>>
  parallel: boolean
  /** Whether an answer without a call is an error. */
  needsCall: boolean
  /** Whether a call of this tool ends the run until its caller has answered. */
  waits(tool: string): boolean
  options: Pick<LanguageModelV4CallOptions, 'tools' | 'toolChoice'>
}

const NO_PARAMETERS = { type: 'object', properties: {} } as const

const functionTool = (
  name: string,
  description = '',
  parameters: object = NO_PARAMETERS,
): LanguageModelV4FunctionTool => ({
  type: 'function',
  name,
  description,
  inputSchema: parameters,
})

type ResponseFormat = { type?: string; json_schema?: { schema?: object } } | null | undefined

/** The schema of the message of an agent that answers by a tool, where the agent has a response format. */
function messageSchema(format: ResponseFormat): object | undefined {
  if (format?.type === 'json_object') return { type: 'object', additionalProperties: true }
  return format?.type === 'json_schema' ? (format.json_schema?.schema ?? format.json_schema) : undefined
}

/** The parameters of a tool as an agent offers them. */
function offeredParameters(turn: Turn, tool: Tool): object {
  const { row } = turn.agent
  const own = { ...NO_PARAMETERS, ...parametersOf(tool) }
  if (answersByText(row.agent_type)) return own
  const message = tool.name === 'send_message' ? messageSchema(row.response_format as ResponseFormat) : undefined
  const parameters = message ? { ...own, properties: { ...own.properties, message } } : own
  return withAddedArguments(parameters, writesThoughts(turn), !endsRun(row.tool_rules ?? [], tool.name!))
}

/** The tools that the model may call now, by the agent's rules and the calls of this run. A tool of the caller shadows the server's. */
export function offerTools(turn: Turn): Offer {
  const { agent, request, calls, config } = turn
  const rules = agent.row.tool_rules ?? []
  const clientTools = request.client_tools ?? []
  const ofClient = new Set(clientTools.map(({ name }) => name))
  const own = agent.tools.filter(({ name }) => !ofClient.has(name!))
  const byText = answersByText(agent.row.agent_type)
  const { names, mustCall, prefilled } = allowedTools(
    rules,
    own.map(({ name }) => name!),
    calls,
  )
  const tools = [
    ...own
      .filter(({ name }) => names.includes(name!))
      .map((tool) => {
        const { description } = (tool.json_schema ?? {}) as { description?: string }
        return functionTool(tool.name!, description ?? tool.description, offeredParameters(turn, tool))
      }),
    ...clientTools.map(({ name, description, parameters }) =>
      functionTool(name, description ?? '', parameters ?? undefined),
    ),
  ]
  const [only, another] = mustCall ? names : tools.map(({ name }) => name)
  const forced = only && !another ? ({ type: 'tool', toolName: only } as const) : ({ type: 'required' } as const)
  const toolChoice = mustCall || !byText ? forced : ({ type: 'auto' } as const)
  return {
    allowed: [...names, ...ofClient],
    prefilled,
    // Providers refuse to hear of parallel calls where there are no tools.
    parallel: tools.length === 0 || (byText && (config.parallel_tool_calls ?? true) && allowsParallelCalls(rules)),
    needsCall: !byText && tools.length > 0,
    waits: (tool) => ofClient.has(tool) || (needsApproval(rules, tool) && names.includes(tool)),
    options: tools.length > 0 ? { tools, toolChoice } : {},
  }
}
