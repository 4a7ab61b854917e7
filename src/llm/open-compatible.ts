import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Connection } from './connection.ts'
import { repairing } from './repair-stream.ts'

/** Opens the language model of this name at a provider. */
export type Open = (connection: Connection, model: string) => Promise<LanguageModelV4>

/** Types of providers that refuse a JSON schema as the format of an answer. */
const WITHOUT_SCHEMAS: readonly string[] = ['zai', 'zai_coding']

/**
 * Any server with OpenAI's `/chat/completions`. Its options have the name `compatible`. Of all packages only this one never
 * reads a key from the environment.
 */
export const compatible: Open = async ({ type, url, apiKey, fetch }, model) => {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  return createOpenAICompatible({
    name: 'compatible',
    baseURL: url,
    fetch: repairing(fetch),
    includeUsage: true,
    supportsStructuredOutputs: !WITHOUT_SCHEMAS.includes(type),
    ...(apiKey && { apiKey }),
  }).chatModel(model)
}

/** The provider's own package if there is a key: without a key, it would read one from the environment. */
export const keyed =
  (open: (connection: Connection & { apiKey: string }, model: string) => Promise<LanguageModelV4>): Open =>
  (connection, model) =>
    connection.apiKey ? open({ ...connection, apiKey: connection.apiKey }, model) : compatible(connection, model)
