import type { Scope } from '../../db/scope.ts'
import { withDeadline } from '../../embed/deadline.ts'
import { ApiError } from '../../lib/errors.ts'
import type { Embedders } from '../models/embedding.ts'
import type { ServingModel } from './search-targets.ts'
import type { QueryVector } from './search-vectors.ts'

/** The most failed models whose errors a response reports. */
const MAX_REPORTED_ERRORS = 3

const nameOf = ({ key, config }: ServingModel) => config.handle ?? key

/** The query as a vector of each model that responds within `timeoutMs`, and the errors of the other models. */
export async function embedQuery(
  scope: Scope,
  { embedders, timeoutMs }: { embedders: Embedders; timeoutMs: number },
  models: readonly ServingModel[],
  query: string,
): Promise<{ vectors: QueryVector[]; failures: ApiError[] }> {
  const settled = await Promise.allSettled(
    models.map((model) =>
      withDeadline(timeoutMs, nameOf(model), async (signal): Promise<QueryVector> => {
        const embedder = await embedders.of(scope, model.config)
        const [vector] = await embedder.embed([query], 'query', signal)
        return { model: model.key, name: nameOf(model), containers: model.containers, vector: vector! }
      }),
    ),
  )
  const errors = settled.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
  const failures = errors.filter((error) => error instanceof ApiError)
  if (failures.length < errors.length) throw errors.find((error) => !(error instanceof ApiError))
  return { vectors: settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])), failures }
}

/** The messages of failed models, as one text; undefined without a failure. */
export function joinMessages(failures: readonly ApiError[]): string | undefined {
  if (failures.length === 0) return undefined
  const messages = failures.slice(0, MAX_REPORTED_ERRORS).map(({ message }) => message)
  const others = failures.length - messages.length
  return [...messages, ...(others > 0 ? [`So it is with ${others} more.`] : [])].join(' ')
}
