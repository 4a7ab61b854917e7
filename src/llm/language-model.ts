import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ProviderType } from '../lib/provider-types.ts'
import type { Connection } from './connection.ts'
import { AZURE_VERSION } from './listing.ts'

type Open = (connection: Connection, model: string) => Promise<LanguageModelV4>

/** Any server with OpenAI's `/chat/completions`. This package never reads a key from the environment. */
const compatible: Open = async ({ name, url, apiKey, fetch }, model) => {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  return createOpenAICompatible({ name, baseURL: url, fetch, includeUsage: true, ...(apiKey && { apiKey }) }).chatModel(
    model,
  )
}

/** The provider's own package if there is a key: without a key, it would read one from the environment. */
const keyed =
  (open: (connection: Connection & { apiKey: string }, model: string) => Promise<LanguageModelV4>): Open =>
  (connection, model) =>
    connection.apiKey ? open({ ...connection, apiKey: connection.apiKey }, model) : compatible(connection, model)

/** The models of OpenAI that think before they answer: their thoughts come through the Responses API alone. */
const REASONS = /^(o\d|gpt-5(?!.*chat))/

const OWN: Partial<Record<ProviderType, Open>> = {
  openai: keyed(async ({ url, apiKey, fetch }, model) => {
    const { createOpenAI } = await import('@ai-sdk/openai')
    const openai = createOpenAI({ baseURL: url, apiKey, fetch })
    return REASONS.test(model) ? openai.responses(model) : openai.chat(model)
  }),
  azure: keyed(async ({ url, apiKey, apiVersion = AZURE_VERSION, fetch }, model) => {
    const { createAzure } = await import('@ai-sdk/azure')
    return createAzure({ baseURL: url, apiKey, apiVersion, fetch, useDeploymentBasedUrls: true }).chat(model)
  }),
  anthropic: keyed(async ({ url, apiKey, fetch }, model) => {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic({ baseURL: url, apiKey, fetch }).languageModel(model)
  }),
  google_ai: keyed(async ({ url, apiKey, fetch }, model) => {
    const { createGoogle } = await import('@ai-sdk/google')
    return createGoogle({ baseURL: url, apiKey, fetch }).languageModel(model)
  }),
  mistral: keyed(async ({ url, apiKey, fetch }, model) => {
    const { createMistral } = await import('@ai-sdk/mistral')
    return createMistral({ baseURL: url, apiKey, fetch }).languageModel(model)
  }),
  together: keyed(async ({ url, apiKey, fetch }, model) => {
    const { createTogetherAI } = await import('@ai-sdk/togetherai')
    return createTogetherAI({ baseURL: url, apiKey, fetch }).languageModel(model)
  }),
  deepseek: keyed(async ({ url, apiKey, fetch }, model) => {
    const { createDeepSeek } = await import('@ai-sdk/deepseek')
    return createDeepSeek({ baseURL: url, apiKey, fetch }).languageModel(model)
  }),
}

/** The language model of this name at a provider. */
export const openLanguageModel: Open = (connection, model) => (OWN[connection.type] ?? compatible)(connection, model)
