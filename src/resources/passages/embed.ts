import type { Scope } from '../../db/scope.ts'
import { withDeadline } from '../../embed/deadline.ts'
import { ApiError, inBody, invalid } from '../../lib/errors.ts'
import { EMBEDDED } from '../models/config.ts'
import { type Embedders, modelKey } from '../models/embedding.ts'
import type { EmbeddingConfig } from '../models/schema.ts'
import type { Container } from './container.ts'
import type { Vectors } from './insert.ts'

/** How many batches of one request are embedded at once. */
const AT_ONCE = 4

/** How long a request that makes passages waits for their vectors. */
const TIMEOUT_MS = 60_000

/** Throws unless these are vectors as the configuration says, one for each text. */
function check(vectors: readonly (readonly number[])[], texts: number, config: EmbeddingConfig): void {
  const { embedding_dim, embedding_model } = config
  const other = vectors.find(({ length }) => length !== embedding_dim)
  if (other) {
    const message = `is ${embedding_dim}, but vectors of ${embedding_model} have ${other.length} numbers`
    throw invalid(inBody('embedding_config.embedding_dim', message))
  }
  if (vectors.length !== texts || !vectors.every((vector) => vector.every(Number.isFinite))) {
    throw new ApiError('bad_gateway', `${embedding_model} did not answer with one vector of numbers for each text.`)
  }
}

/**
 * Vectors of texts, in their order, by batches of the configuration's `batch_size`. Throws the embedder's error, a 422
 * for a configuration with another dimension than its model's, or a 502 for an answer that can't be.
 */
export async function embedTexts(
  scope: Scope,
  embedders: Embedders,
  config: EmbeddingConfig,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<Vectors> {
  const embedder = await embedders.of(scope, config)
  const size = config.batch_size ?? EMBEDDED.batch_size
  const vectors: number[][] = new Array(texts.length)
  const failed = new AbortController()
  const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal
  let next = 0

  async function work(): Promise<void> {
    while (next < texts.length) {
      either.throwIfAborted()
      const from = next
      const batch = texts.slice(from, from + size)
      next += batch.length
      const made = await embedder.embed(batch, 'document', either)
      check(made, batch.length, config)
      for (const [at, vector] of made.entries()) vectors[from + at] = vector
    }
  }

  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  } catch (error) {
    // What the other batches would cost is spared.
    failed.abort()
    throw error
  }
  return { model: modelKey(config), vectors }
}

/**
 * Vectors of new passages, by the model that answers where they are to lie; undefined where none does. While another
 * model is taking its place it needs not answer: the passages get the new one's vectors with all others. A model that
 * isn't done in time is a 502.
 */
export async function embedNewPassages(
  scope: Scope,
  embedders: Embedders,
  { serving_config, embedding_config }: Pick<Container, 'serving_config' | 'embedding_config'>,
  texts: readonly string[],
  timeoutMs = TIMEOUT_MS,
): Promise<Vectors | undefined> {
  const config = serving_config ?? embedding_config
  if (texts.length === 0 || !config) return undefined
  const made = withDeadline(timeoutMs, config.handle ?? modelKey(config), (signal) =>
    embedTexts(scope, embedders, config, texts, signal),
  )
  return serving_config ? made.catch(() => undefined) : made
}

/** Makes sure that new passages can be embedded later: see `Embedders.of`. */
export async function checkEmbedder(
  scope: Scope,
  embedders: Embedders,
  { embedding_config }: Pick<Container, 'embedding_config'>,
): Promise<void> {
  if (embedding_config) await embedders.of(scope, embedding_config)
}
