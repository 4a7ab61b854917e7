import type { ProviderType } from '../lib/provider-types.ts'
import { type Body, withBody, withOptions } from './adapt.ts'
import { AZURE_VERSION } from './listing.ts'
import { openBedrock } from './open-bedrock.ts'
import { compatible, keyed, type Open } from './open-compatible.ts'
import { chatGpt, openAi } from './open-openai.ts'
import { openVertex } from './open-vertex.ts'

/** Messages with an empty reasoning beside their calls where they have none: Kimi refuses calls without the field. */
const withReasoning = (body: Body): Body => ({
  ...body,
  messages: (body.messages ?? []).map((message) =>
    message.tool_calls && !('reasoning_content' in message) ? { ...message, reasoning_content: '' } : message,
  ),
})

/** Any server with Anthropic's `/messages`. */
const messages = keyed(async ({ url, apiKey, fetch }, model) => {
  const { createAnthropic } = await import('@ai-sdk/anthropic')
  return createAnthropic({ baseURL: url, apiKey, fetch }).languageModel(model)
})

/** The providers that are reached by a package of their own; all others are reached by `compatible`. */
const OWN: Partial<Record<ProviderType, Open>> = {
  openai: openAi,
  chatgpt_oauth: chatGpt,
  anthropic: messages,
  moonshot_coding: messages,
  azure: keyed(async ({ url, apiKey, apiVersion = AZURE_VERSION, fetch }, model) => {
    const { createAzure } = await import('@ai-sdk/azure')
    return createAzure({ baseURL: url, apiKey, apiVersion, fetch, useDeploymentBasedUrls: true }).chat(model)
  }),
  google_ai: keyed(async ({ url, apiKey, fetch }, model) => {
    const { createGoogle } = await import('@ai-sdk/google')
    return createGoogle({ baseURL: url, apiKey, fetch }).languageModel(model)
  }),
  google_vertex: keyed(async (connection, model) => (await openVertex(connection)).languageModel(model)),
  bedrock: keyed(async (connection, model) => (await openBedrock(connection)).languageModel(model)),
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
  groq: keyed(async ({ url, apiKey, fetch }, model) => {
    const { createGroq } = await import('@ai-sdk/groq')
    return createGroq({ baseURL: url, apiKey, fetch }).languageModel(model)
  }),
  cerebras: keyed(async ({ url, apiKey, fetch }, model) => {
    const { createCerebras } = await import('@ai-sdk/cerebras')
    return createCerebras({ baseURL: url, apiKey, fetch }).languageModel(model)
  }),
  fireworks: keyed(async ({ url, apiKey, fetch }, model) => {
    const { createFireworks } = await import('@ai-sdk/fireworks')
    return createFireworks({ baseURL: url, apiKey, fetch }).languageModel(model)
  }),
  xai: keyed(async ({ url, apiKey, fetch }, model) => {
    const { createXai } = await import('@ai-sdk/xai')
    const xai = createXai({ baseURL: url, apiKey, fetch }).languageModel(model)
    return withOptions(xai, ({ providerOptions, ...options }) => ({
      ...options,
      providerOptions: { ...providerOptions, xai: { ...providerOptions?.xai, store: false } },
    }))
  }),
  moonshot: keyed(async ({ url, apiKey, fetch }, model) => {
    const { createMoonshotAI } = await import('@ai-sdk/moonshotai')
    return createMoonshotAI({ baseURL: url, apiKey, fetch: withBody(fetch, withReasoning) }).languageModel(model)
  }),
  openrouter: keyed(async ({ url, apiKey, fetch }, model) => {
    const { createOpenRouter } = await import('@openrouter/ai-sdk-provider')
    const openrouter = createOpenRouter({ baseURL: url, apiKey, fetch, compatibility: 'strict' })
    return openrouter.chat(model, { usage: { include: true } })
  }),
}

/** The language model of this name at a provider. */
export const openLanguageModel: Open = (connection, model) => (OWN[connection.type] ?? compatible)(connection, model)
