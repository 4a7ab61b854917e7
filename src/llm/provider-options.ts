import type { JSONObject } from '@ai-sdk/provider'
import type { Configured, Effort, Settings } from './configured.ts'
import { type TokenData, tokenOptions } from './token-data.ts'

/** The smallest budget of thinking that there is, in tokens. */
const MIN_BUDGET = 1024

/** The thinking that settings or a configuration ask for; undefined where they leave it to the model. */
function thinkingOf({ thinking }: Settings, { enable_reasoner, max_reasoning_tokens }: Configured) {
  if (thinking?.type === 'disabled') return { type: thinking.type }
  if (!thinking && (enable_reasoner === false || !max_reasoning_tokens)) return undefined
  const budgetTokens = Math.max(thinking?.budget_tokens ?? max_reasoning_tokens ?? 0, MIN_BUDGET)
  return { type: 'enabled', budgetTokens }
}

/** Settings of an object with a value. */
const defined = (fields: Record<string, unknown>): JSONObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JSONObject

/** Further wishes for a call. */
interface Wishes {
  parallel: boolean
  effort: Effort | undefined
  strictJsonSchema: boolean | undefined
  tokens: TokenData | undefined
}

/**
 * The options of every provider's package, by the names under which packages read their own and no others. `compatible` is
 * any server with OpenAI's chat completions: its options are fields of the request.
 */
export function optionsByProvider(
  config: Configured,
  settings: Settings,
  { parallel, effort, strictJsonSchema, tokens }: Wishes,
): Record<string, JSONObject> {
  const thinking = thinkingOf(settings, config)
  const textVerbosity = settings.verbosity ?? config.verbosity
  const parallelToolCalls = parallel ? undefined : false
  const common = { parallelToolCalls, strictJsonSchema }
  const fields = { parallel_tool_calls: parallelToolCalls, strictJsonSchema }
  const { include_thoughts, thinking_budget } = settings.thinking_config ?? {
    include_thoughts: thinking && true,
    thinking_budget: thinking?.budgetTokens,
  }
  const thinkingConfig = defined({ includeThoughts: include_thoughts, thinkingBudget: thinking_budget })
  const thoughts = effort ? { effort } : thinking?.budgetTokens && { max_tokens: thinking.budgetTokens }
  const switched = settings.provider_type === 'zai' ? settings.thinking : undefined
  const options: Record<string, Record<string, unknown>> = {
    openai: { ...common, textVerbosity, reasoningSummary: effort && effort !== 'none' ? 'auto' : undefined },
    anthropic: {
      thinking,
      effort: settings.effort ?? config.effort,
      disableParallelToolUse: parallel ? undefined : true,
    },
    amazonBedrock: { reasoningConfig: thinking },
    google: Object.keys(thinkingConfig).length > 0 ? { thinkingConfig } : {},
    mistral: common,
    groq: common,
    cerebras: common,
    xai: { parallelToolCalls },
    deepseek: { strictJsonSchema },
    moonshotai: { strictJsonSchema, thinking: settings.thinking?.type && { type: settings.thinking.type } },
    fireworks: fields,
    togetherai: fields,
    openrouter: { parallel_tool_calls: parallelToolCalls, reasoning: thoughts || undefined },
    openaiCompatible: { textVerbosity, strictJsonSchema },
    compatible: { parallel_tool_calls: parallelToolCalls, thinking: switched },
  }
  const asked = tokens ? tokenOptions(tokens) : {}
  return Object.fromEntries(
    Object.entries(options).map(([name, fields]) => [name, defined({ ...fields, ...asked[name] })]),
  )
}
