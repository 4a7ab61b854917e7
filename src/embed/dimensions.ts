import { factsOf } from '../lib/provider-types.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import type { Connection } from '../llm/connection.ts'
import type { ListedModel } from '../llm/listed-model.ts'
import { listModels } from '../llm/listing.ts'
import { measureDimension, unavailable } from './remote.ts'

/** The most models that one listing measures, and the models that are measured at once. */
const MOST = 20
const CONCURRENCY = 2

const TIMEOUT_MS = 20_000

/**
 * The models of a provider, with the dimension of every embedding model: a known one, or that of a measured vector. A model
 * that doesn't respond has no dimension. Throws an ApiError when the provider doesn't list its models.
 */
export async function listMeasured(connection: Connection, signal?: AbortSignal): Promise<ListedModel[]> {
  const models = await listModels(connection, signal)
  const { embedding: endpointType } = factsOf(connection.type)
  const unmeasured = models.filter(
    ({ model_type, embedding_dim }) => model_type === 'embedding' && embedding_dim === undefined,
  )
  const limit = createSemaphore(CONCURRENCY)
  const late = AbortSignal.timeout(TIMEOUT_MS)
  const measured = unmeasured.slice(0, MOST).map((model) =>
    limit(async () => {
      const remote = { endpointType: endpointType!, model: model.name }
      if (unavailable(remote)) return
      const waiting = signal ? AbortSignal.any([signal, late]) : late
      model.embedding_dim = await measureDimension(connection, remote, waiting).catch(() => undefined)
    }),
  )
  await Promise.all(measured)
  return models
}
