import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import type { UsageStatistics } from '../resources/messages/schema.ts'

/** The tokens of one call of a model. Undefined: the provider doesn't say. */
export interface StepUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  cached_input_tokens?: number | undefined
  cache_write_tokens?: number | undefined
  reasoning_tokens?: number | undefined
}

/** The tokens of a call, as the wire counts them. */
export function stepUsage(usage: LanguageModelV4Usage | undefined): StepUsage {
  const prompt_tokens = usage?.inputTokens.total ?? 0
  const completion_tokens = usage?.outputTokens.total ?? 0
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    cached_input_tokens: usage?.inputTokens.cacheRead,
    cache_write_tokens: usage?.inputTokens.cacheWrite,
    reasoning_tokens: usage?.outputTokens.reasoning,
  }
}

const sum = (a: number | undefined, b: number | undefined) =>
  a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0)

/** No tokens of no steps. */
export const noUsage = (): UsageStatistics => ({
  message_type: 'usage_statistics',
  completion_tokens: 0,
  prompt_tokens: 0,
  total_tokens: 0,
  step_count: 0,
})

/**
 * Adds the tokens of a call of a model. `isStep`: the call counts as a step, unlike that of a summary, or one that failed.
 * `context_tokens` are those of the last step.
 */
export function addUsage(total: UsageStatistics, step: StepUsage, isStep = true): UsageStatistics {
  const optional = {
    cached_input_tokens: sum(total.cached_input_tokens, step.cached_input_tokens),
    cache_write_tokens: sum(total.cache_write_tokens, step.cache_write_tokens),
    reasoning_tokens: sum(total.reasoning_tokens, step.reasoning_tokens),
  }
  return {
    ...total,
    completion_tokens: total.completion_tokens + step.completion_tokens,
    prompt_tokens: total.prompt_tokens + step.prompt_tokens,
    total_tokens: total.total_tokens + step.total_tokens,
    ...(isStep && { step_count: total.step_count + 1, context_tokens: step.total_tokens }),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  }
}
