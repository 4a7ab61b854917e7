import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'

/** The fields of a model's configuration that its calls depend on. */
interface Configured {
  temperature?: number | undefined
  max_tokens?: number | undefined
  frequency_penalty?: number | undefined
}

/** The options of a call, from a model's configuration and its settings. `parallel`: several tools may be called at once. */
export function callSettings(
  { temperature, max_tokens, frequency_penalty }: Configured,
  settings: Readonly<Record<string, unknown>>,
  parallel: boolean,
): Partial<LanguageModelV4CallOptions> {
  const limit = max_tokens ?? (settings.max_output_tokens as number | undefined)
  const heat = temperature ?? (settings.temperature as number | undefined)
  return {
    ...(heat !== undefined && { temperature: heat }),
    ...(limit && { maxOutputTokens: limit }),
    ...(frequency_penalty && { frequencyPenalty: frequency_penalty }),
    providerOptions: { openai: { parallelToolCalls: parallel } },
  }
}
