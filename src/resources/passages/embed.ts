import type { Scope } from '../../db/scope.ts'
import { inBatches } from '../../embed/batches.ts'
import { withDeadline } from '../../embed/deadline.ts'
import { ApiError, inBody, invalid } from '../../lib/errors.ts'
import { EMBEDDED } from '../models/config.ts'
import { type Embedders, modelKey } from '../models/embedding.ts'
import type { EmbeddingConfig } from '../models/schema.ts'
import { type Container, servingConfig } from './container.ts'
import type { Vectors } from './vectors.ts'

/** The batches of one request that run at once. */
const CONCURRENCY = 4

/** The time that a request which makes passages waits for their vectors. */
const TIMEOUT_MS = 60_000

/** Throws unless there is one vector for each text, with the dimension of the configuration. */
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
 * for a configuration with another dimension than its model's, or a 502 for invalid vectors.
 */
export async function embedTexts(
  scope: Scope,
  embedders: Embedders,
  config: EmbeddingConfig,
  texts: readonly string[],
  signal?: AbortSignal,
): Promise<Vectors> {
  const embedder = await embedders.of(scope, config)
  const batches = { size: config.batch_size ?? EMBEDDED.batch_size, concurrency: CONCURRENCY }
  const embed = async (batch: string[], either: AbortSignal) => {
    const vectors = await embedder.embed(batch, 'document', either)
    check(vectors, batch.length, config)
    return vectors
  }
  return { model: modelKey(config), vectors: await inBatches(texts, batches, embed, signal) }
}

/**
 * Vectors of new passages by the serving model of their container; undefined without a model. While another model replaces
 * the serving one, a failure of the serving model is ignored: the passages get the other model's vectors with all others.
 * 502 for a model that doesn't respond in time.
 */
export async function embedNewPassages(
  scope: Scope,
  embedders: Embedders,
  container: Pick<Container, 'serving_config' | 'embedding_config'>,
  texts: readonly string[],
  timeoutMs = TIMEOUT_MS,
): Promise<Vectors | undefined> {
  const config = servingConfig(container)
  if (texts.length === 0 || !config) return undefined
  const vectors = withDeadline(timeoutMs, config.handle ?? modelKey(config), (signal) =>
    embedTexts(scope, embedders, config, texts, signal),
  )
  return container.serving_config ? vectors.catch(() => undefined) : vectors
}

/** Checks that background work can embed new passages: see `Embedders.of`. */
export async function checkEmbedder(
  scope: Scope,
  embedders: Embedders,
  { embedding_config }: Pick<Container, 'embedding_config'>,
): Promise<void> {
  if (embedding_config) await embedders.of(scope, embedding_config)
}
