import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { allowedTools, allowsParallelCalls, needsApproval } from './tool-rules.ts'
import type { Turn } from './turn.ts'

/** The tools that a step offers to the model. */
export interface Offer {
  /** The names of the server's tools that the rules allow, and of the caller's tools. */
  allowed: string[]
  /** Arguments that rules prescribe, by tool. */
  prefilled: Map<string, Record<string, unknown>>
  parallel: boolean
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

/** The tools that the model may call now, by the agent's rules and the calls of this run. A tool of the caller shadows the server's. */
export function offerTools({ agent, request, calls, config }: Turn): Offer {
  const rules = agent.row.tool_rules ?? []
  const clientTools = request.client_tools ?? []
  const ofClient = new Set(clientTools.map(({ name }) => name))
  const own = agent.tools.filter(({ name }) => !ofClient.has(name!))
  const { names, mustCall, prefilled } = allowedTools(
    rules,
    own.map(({ name }) => name!),
    calls,
  )
  const tools = [
    ...own
      .filter(({ name }) => names.includes(name!))
      .map(({ name, description, json_schema }) => {
        const schema = (json_schema ?? {}) as { description?: string; parameters?: object }
        return functionTool(name!, schema.description ?? description, schema.parameters)
      }),
    ...clientTools.map(({ name, description, parameters }) =>
      functionTool(name, description ?? '', parameters ?? undefined),
    ),
  ]
  const toolChoice = mustCall
    ? names.length === 1
      ? ({ type: 'tool', toolName: names[0]! } as const)
      : ({ type: 'required' } as const)
    : ({ type: 'auto' } as const)
  return {
    allowed: [...names, ...ofClient],
    prefilled,
    // Providers refuse to hear of parallel calls where there are no tools.
    parallel: tools.length === 0 || ((config.parallel_tool_calls ?? true) && allowsParallelCalls(rules)),
    waits: (tool) => ofClient.has(tool) || (needsApproval(rules, tool) && names.includes(tool)),
    options: tools.length > 0 ? { tools, toolChoice } : {},
  }
}
