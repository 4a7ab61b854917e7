import { factsOf } from '../lib/provider-types.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import type { Connection } from '../llm/connection.ts'
import type { ListedModel } from '../llm/listed-model.ts'
import { listModels } from '../llm/listing.ts'
import { measureDimension, unavailable } from './remote.ts'

/** Models measured for one listing, and how many at once. */
const MOST = 20
const AT_ONCE = 2

const WAIT_MS = 20_000

/**
 * The models of a provider, with the dimension of every embedding model: the known one, else that of a vector asked for.
 * A model that doesn't answer stays without. Throws an ApiError when the provider doesn't list its models.
 */
export async function listMeasured(connection: Connection, signal?: AbortSignal): Promise<ListedModel[]> {
  const models = await listModels(connection, signal)
  const { embedding: endpointType } = factsOf(connection.type)
  const open = models.filter(
    ({ model_type, embedding_dim }) => model_type === 'embedding' && embedding_dim === undefined,
  )
  const limit = createSemaphore(AT_ONCE)
  const late = AbortSignal.timeout(WAIT_MS)
  const measured = open.slice(0, MOST).map((model) =>
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
