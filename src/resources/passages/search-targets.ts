import { type RawBuilder, sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import { modelKey } from '../models/embedding.ts'
import type { EmbeddingConfig, VectorDbProvider } from '../models/schema.ts'

/** Which passages a caller wants searched; an agent's are those of the archive attached to it. */
export interface SearchTarget {
  agent_id?: string | null | undefined
  archive_id?: string | null | undefined
  folder_id?: string | null | undefined
}

/** A model that answers for containers. */
export interface ServingModel {
  key: string
  config: EmbeddingConfig
  /** The archives and folders it answers for; undefined: all archives whose model it is. */
  containers: string[] | undefined
}

/** Where to search. */
export interface ResolvedTargets {
  /** Archives and folders; undefined: all archives. */
  containers: string[] | undefined
  models: ServingModel[]
  /** The archive that alone is searched, if a hosted store is where it lies. */
  hosted: string | undefined
  /** Of the agent, if one was named. */
  timezone: string | null
}

interface Row {
  asked: string | null
  id: string | null
  config: EmbeddingConfig | null
  provider: VectorDbProvider | null
  timezone: string | null
}

/**
 * The archives and folders that are meant, and the models whose vectors answer for them, by one statement. 404 for what
 * the organization doesn't have.
 */
export async function resolveTargets(
  scope: Scope,
  { agent_id, archive_id, folder_id }: SearchTarget,
): Promise<ResolvedTargets> {
  const organization = scope.organizationId
  const serving = sql`coalesce(c.serving_config, c.embedding_config)`
  const selects: RawBuilder<unknown>[] = []
  if (agent_id) {
    selects.push(sql`select a.id as asked, c.id, ${serving} as config, c.vector_db_provider as provider,
        a.timezone
      from agents a
      left join agents_archives l on l.organization_id = a.organization_id and l.agent_id = a.id
      left join archives c on c.organization_id = l.organization_id and c.id = l.archive_id
      where a.organization_id = ${organization} and a.id = ${agent_id}`)
  } else if (archive_id) {
    selects.push(sql`select c.id as asked, c.id, ${serving} as config, c.vector_db_provider as provider,
        null as timezone
      from archives c
      where c.organization_id = ${organization} and c.id = ${archive_id}`)
  }
  if (folder_id) {
    selects.push(sql`select c.id as asked, c.id, ${serving} as config, null as provider, null as timezone
      from folders c
      where c.organization_id = ${organization} and c.id = ${folder_id}`)
  }
  const all = selects.length === 0
  if (all) {
    selects.push(sql`select distinct null as asked, null as id, ${serving} as config, null as provider, null as timezone
      from archives c where c.organization_id = ${organization}`)
  }
  const rows = await scope.query<Row>(sql`${sql.join(selects, sql` union all `)}` as RawBuilder<Row>)
  for (const [noun, id] of [
    ['agent', agent_id],
    ['archive', agent_id ? undefined : archive_id],
    ['folder', folder_id],
  ] as const) {
    if (id && !rows.some(({ asked }) => asked === id)) throw notFound(noun, id)
  }
  const models = new Map<string, ServingModel>()
  for (const { id, config } of rows) {
    if (!config) continue
    const key = modelKey(config)
    const model = models.get(key) ?? { key, config, containers: all ? undefined : [] }
    model.containers?.push(id!)
    models.set(key, model)
  }
  const [place, another] = rows.filter(({ id }) => id !== null)
  const isHosted = place?.provider && place.provider !== 'native' && !another
  return {
    containers: all ? undefined : rows.flatMap(({ id }) => id ?? []),
    models: [...models.values()],
    hosted: isHosted ? place.id! : undefined,
    timezone: rows.find(({ timezone }) => timezone)?.timezone ?? null,
  }
}
