import type { Connection } from '../llm/connection.ts'
import { isShortened } from '../llm/known-models.ts'
import type { Purpose } from './embedder.ts'

type Options = Record<string, Record<string, string | number>>

/** The part of a provider's package that is used. */
interface Model {
  maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined
  doEmbed(call: {
    values: string[]
    abortSignal?: AbortSignal
    providerOptions?: Options
  }): PromiseLike<{ embeddings: number[][] }>
}

/** The model of a connection, and the options of its calls. */
export interface Client {
  model: Model
  options: (purpose: Purpose) => Options
}

/** Opens a client of a model. The dimension is requested where the model would have another. */
export type OpenClient = (connection: Connection, model: string, dimension: number) => Promise<Client>

/** The dimension, if a request has to name it. */
export const requestedDimension = (model: string, dimension: number) =>
  isShortened(model, dimension) ? dimension : undefined

/**
 * Any server with OpenAI's `/embeddings`. Of all packages only this one never reads a key from the environment: the keys of the
 * server's operator must not go to addresses that users choose.
 */
export const compatible: OpenClient = async ({ name, url, apiKey, fetch }, model, dimension) => {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const provider = createOpenAICompatible({ name, baseURL: url, fetch, ...(apiKey && { apiKey }) })
  const dimensions = requestedDimension(model, dimension)
  return {
    model: provider.embeddingModel(model),
    options: () => (dimensions ? { openaiCompatible: { dimensions } } : {}),
  }
}

/** The provider's own package if there is a key: without a key, it would read one from the environment. */
export const keyed =
  (
    open: (connection: Connection & { apiKey: string }, model: string, dimension: number) => Promise<Client>,
  ): OpenClient =>
  (connection, model, dimension) =>
    connection.apiKey
      ? open({ ...connection, apiKey: connection.apiKey }, model, dimension)
      : compatible(connection, model, dimension)
