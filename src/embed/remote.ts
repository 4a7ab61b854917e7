import { withRetries } from '../lib/retry.ts'
import { type Connection, ProviderError } from '../llm/connection.ts'
import { inBatches } from './batches.ts'
import type { Client, OpenClient } from './client.ts'
import { CLIENTS } from './clients.ts'
import type { Embedder, Purpose } from './embedder.ts'
import { failureOf, toProviderError } from './provider-error.ts'

export interface RemoteModel {
  /** The API of the provider: an `embedding_endpoint_type`. */
  endpointType: string
  model: string
  dimension: number
  /** The most texts of one request. */
  batchSize?: number | undefined
}

const BATCH = 32

/** The largest batch, whatever the configuration says: a response has to fit into memory. */
const LARGEST_BATCH = 512

/** The batches of one call that run at once. */
const CONCURRENCY = 4

/** Names of models are parts of paths, so they must not change a path. */
const ODD_NAME = /(^|\/)\.{1,2}(\/|$)|[?#%\\\s]/

/** Why a text can't be the name of a model, or undefined. */
export const nameIssue = (model: string) =>
  model === '' || ODD_NAME.test(model) ? `"${model}" cannot be the name of a model` : undefined

/** Why an endpoint type or a model's name can't be used, or undefined. */
export function unavailable({ endpointType, model }: Pick<RemoteModel, 'endpointType' | 'model'>): string | undefined {
  const client = CLIENTS[endpointType]
  if (typeof client === 'string') return client
  if (!client) return `${endpointType} is not available on this server`
  return nameIssue(model)
}

/** The vectors of a response. Throws unless there is one for each text, of the requested dimension. */
function checked(name: string, { model, dimension }: RemoteModel, vectors: number[][], count: number): number[][] {
  if (vectors.length !== count) {
    throw new ProviderError(`${name} answers with ${vectors.length} vectors for ${count} texts.`)
  }
  for (const vector of vectors) {
    if (vector.length !== dimension) {
      throw new ProviderError(
        `${name} gives vectors of ${vector.length} dimensions for ${model}, not of ${dimension}: set embedding_dim to that.`,
      )
    }
    if (!vector.every(Number.isFinite))
      throw new ProviderError(`${name} gives a vector with something else than numbers.`)
  }
  return vectors
}

/** The dimension of a model's vectors, measured by one. Throws an ApiError. */
export async function measureDimension(
  connection: Connection,
  { endpointType, model }: Pick<RemoteModel, 'endpointType' | 'model'>,
  signal?: AbortSignal,
): Promise<number> {
  const open = CLIENTS[endpointType]
  if (typeof open !== 'function')
    throw new ProviderError(`${connection.name}: ${unavailable({ endpointType, model })}.`)
  try {
    const client = await open(connection, model, 0)
    const { embeddings } = await client.model.doEmbed({ values: ['dimension'], ...(signal && { abortSignal: signal }) })
    return embeddings[0]!.length
  } catch (error) {
    throw toProviderError(connection, error)
  }
}

/**
 * The embedder of a provider's model, over the provider's package or the OpenAI API that most servers have. Batches of texts
 * run at once, and are repeated with growing pauses while a failure may pass; queries are sent once. Errors are ApiErrors that
 * report what happened, without a key and without the provider's own text. `pauses`: between attempts, in milliseconds.
 */
export function createRemoteEmbedder(
  connection: Connection,
  remote: RemoteModel,
  pauses?: readonly number[],
): Embedder {
  let opened: Promise<Client> | undefined

  async function embedBatch(client: Client, texts: string[], purpose: Purpose, signal: AbortSignal) {
    try {
      const { embeddings } = await client.model.doEmbed({
        values: texts,
        providerOptions: client.options(purpose),
        abortSignal: signal,
      })
      return checked(connection.name, remote, embeddings, texts.length)
    } catch (error) {
      if (signal.aborted) throw error
      throw toProviderError(connection, error)
    }
  }

  return {
    dimension: remote.dimension,
    local: false,
    async embed(texts, purpose, signal) {
      if (texts.length === 0) return []
      // `unavailable` has refused endpoint types that have no client.
      opened ??= (CLIENTS[remote.endpointType] as OpenClient)(connection, remote.model, remote.dimension)
      const client = await opened
      const most = (await client.model.maxEmbeddingsPerCall) ?? LARGEST_BATCH
      const size = Math.min(remote.batchSize ?? BATCH, most, LARGEST_BATCH)
      // A caller that searches waits for the response, so a query is not repeated.
      const waits = purpose === 'query' ? [] : pauses
      const embed = (batch: string[], either: AbortSignal) =>
        withRetries(() => embedBatch(client, batch, purpose, either), failureOf, either, waits)
      return inBatches(texts, { size, concurrency: CONCURRENCY }, embed, signal)
    },
  }
}
