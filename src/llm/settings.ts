import type { ModelCall } from './call-model.ts'
import type { Configured, Settings } from './configured.ts'
import { optionsByProvider } from './provider-options.ts'
import { responseFormatOf } from './response-format.ts'
import type { TokenData } from './token-data.ts'

/** The limit of a call's answer: providers of packages that add the budget of thinking get the rest of it. */
const restOf = (limit: number | undefined, budget: number | undefined) =>
  limit && budget && limit > budget ? limit - budget : limit || undefined

/**
 * The options of a call, from a model's configuration and its settings. `parallel`: several tools may be called at once.
 * `tokens`: data on the answer's tokens that the caller asks for.
 */
export function callSettings(
  config: Configured,
  settings: Settings,
  parallel: boolean,
  tokens?: TokenData,
): Partial<ModelCall> {
  const effort = settings.reasoning?.reasoning_effort ?? settings.effort ?? config.reasoning_effort ?? config.effort
  const format = responseFormatOf(settings.response_format ?? settings.response_schema ?? config.response_format)
  const { strictJsonSchema, responseFormat } = format
  const temperature = config.temperature ?? settings.temperature
  const limit = config.max_tokens ?? settings.max_output_tokens
  const providerOptions = optionsByProvider(config, settings, { parallel, effort, strictJsonSchema, tokens })
  const { budgetTokens } = (providerOptions.anthropic?.thinking ?? {}) as { budgetTokens?: number }
  const maxOutputTokens = restOf(limit, budgetTokens)
  return {
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens && { maxOutputTokens }),
    ...(config.frequency_penalty && { frequencyPenalty: config.frequency_penalty }),
    ...(effort && { reasoning: effort === 'max' ? 'xhigh' : effort }),
    ...(responseFormat && { responseFormat }),
    ...(tokens && { includeRawChunks: true }),
    thinkTags: config.enable_reasoner,
    strictTools: settings.strict ?? config.strict,
    providerOptions,
  }
}
