import { createSemaphore } from '../lib/semaphore.ts'
import { type Connection, ProviderError, refusedWith, statusOf, unreached } from '../llm/connection.ts'
import { CLIENTS, type Client } from './clients.ts'
import type { Embedder, Purpose } from './embedder.ts'
import { type Failure, retrying } from './retry.ts'

export interface RemoteModel {
  /** How the provider is spoken to: an `embedding_endpoint_type`. */
  endpointType: string
  model: string
  dimension: number
  /** How many texts are sent at once, at most. */
  batchSize?: number | undefined
}

const BATCH = 32

/** However large a batch is asked for: an answer has to be read whole. */
const LARGEST_BATCH = 512

/** Batches under way at once, of one call. */
const IN_FLIGHT = 4

/** What makes a name part of a path: the names of models stand in paths. */
const ODD_NAME = /(^|\/)\.{1,2}(\/|$)|[?#%\\\s]/

/** Why an endpoint type or a model's name can't be used, or undefined. */
export function unavailable({ endpointType, model }: Pick<RemoteModel, 'endpointType' | 'model'>): string | undefined {
  const client = CLIENTS[endpointType]
  if (typeof client === 'string') return client
  if (!client) return `${endpointType} is not available on this server`
  return model === '' || ODD_NAME.test(model) ? `"${model}" cannot be the name of a model` : undefined
}

interface CallError {
  statusCode?: number
  responseHeaders?: Record<string, string>
  responseBody?: string
  cause?: unknown
}

/** What the packages say of an answer that isn't what was asked for. */
const MISREAD = /^AI_(TypeValidation|JSONParse|InvalidResponseData|EmptyResponseBody)Error$/

/** The packages' errors hold the request and the answer: what is told of them is their status alone. */
function explained({ name, type }: Connection, error: unknown): Error {
  const { statusCode, responseHeaders, responseBody, cause } = error as CallError
  if (error instanceof ProviderError) return error
  if (statusCode !== undefined && (statusCode < 200 || statusCode >= 300))
    return refusedWith(name, statusOf(type, statusCode, responseBody), responseHeaders)
  if ([error, cause].some((at) => MISREAD.test((at as Error | undefined)?.name ?? ''))) {
    return new ProviderError(`${name} answers with something else than vectors: is its address right?`)
  }
  return unreached(name, error)
}

const failureOf = (error: unknown): Failure =>
  error instanceof ProviderError ? { passing: error.passing, headers: error.wait } : { passing: false }

/** The vectors of an answer. Throws unless there is one for each text, of the dimension asked for. */
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

/** One vector of a model, whatever its dimension: how many numbers it has. Throws an ApiError. */
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
    throw explained(connection, error)
  }
}

/**
 * The embedder of a provider's model, over its official package or the OpenAI API that most servers speak. Texts go in
 * batches, a few at once, each again with growing pauses while the failure may pass; queries once. Errors are ApiErrors that tell what
 * happened, without a key and without what the provider says.
 */
export function createRemoteEmbedder(
  connection: Connection,
  remote: RemoteModel,
  pauses?: readonly number[],
): Embedder {
  const { name } = connection
  let opened: Promise<Client> | undefined

  async function embedBatch(
    texts: string[],
    purpose: Purpose,
    client: Client,
    signal: AbortSignal,
  ): Promise<number[][]> {
    const call = async () => {
      try {
        const { embeddings } = await client.model.doEmbed({
          values: texts,
          providerOptions: client.options(purpose),
          abortSignal: signal,
        })
        return checked(name, remote, embeddings, texts.length)
      } catch (error) {
        if (signal.aborted) throw error
        throw explained(connection, error)
      }
    }
    // Whoever searches waits for the answer.
    return retrying(call, failureOf, signal, purpose === 'query' ? [] : pauses)
  }

  return {
    dimension: remote.dimension,
    local: false,
    async embed(texts, purpose, signal) {
      if (texts.length === 0) return []
      opened ??= (CLIENTS[remote.endpointType] as Exclude<(typeof CLIENTS)[string], string>)(
        connection,
        remote.model,
        remote.dimension,
      )
      const client = await opened
      const most = (await client.model.maxEmbeddingsPerCall) ?? LARGEST_BATCH
      const size = Math.min(remote.batchSize ?? BATCH, most, LARGEST_BATCH)
      const batches = Array.from({ length: Math.ceil(texts.length / size) }, (_, n) =>
        texts.slice(n * size, (n + 1) * size),
      )
      const limit = createSemaphore(IN_FLIGHT)
      // The first batch that fails ends the others.
      const failed = new AbortController()
      const ended = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal
      const work = batches.map((batch) =>
        limit(() => {
          ended.throwIfAborted()
          return embedBatch(batch, purpose, client, ended)
        }),
      )
      try {
        return (await Promise.all(work)).flat()
      } catch (error) {
        failed.abort(error)
        await Promise.allSettled(work)
        throw error
      }
    },
  }
}
