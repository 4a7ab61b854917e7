import { type RawBuilder, sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import { modelKey } from '../models/embedding.ts'
import type { EmbeddingConfig, VectorDbProvider } from '../models/schema.ts'

/** The passages to search. An agent stands for the archive attached to it, and wins over `archive_id`. */
export interface SearchTarget {
  agent_id?: string | null | undefined
  archive_id?: string | null | undefined
  folder_id?: string | null | undefined
  /** The agent whose files are searched: those of all its folders. */
  files_of?: string | undefined
}

/** A model that serves the searches of containers. */
export interface ServingModel {
  key: string
  config: EmbeddingConfig
  /** The archives and folders that the model serves; undefined: every archive that the model serves. */
  containers: string[] | undefined
}

/** The containers to search, and the models that serve them. */
export interface ResolvedTargets {
  /** Archives and folders; undefined: all archives. */
  containers: string[] | undefined
  models: ServingModel[]
  /** The id of an archive in a hosted store, if no other container is searched. */
  hosted: string | undefined
  /** The time zone of the agent, if the target names one. */
  timezone: string | null
}

interface Row {
  target: string | null
  id: string | null
  config: EmbeddingConfig | null
  provider: VectorDbProvider | null
  timezone: string | null
}

/** One select for each part of the target. */
function selectsOf(
  { organizationId }: Scope,
  { agent_id, archive_id, folder_id, files_of }: SearchTarget,
): RawBuilder<Row>[] {
  const serving = sql`coalesce(c.serving_config, c.embedding_config) as config`
  const ofAgent = sql<Row>`select a.id as target, c.id, ${serving}, c.vector_db_provider as provider, a.timezone
    from agents a
    left join agents_archives l on l.organization_id = ${organizationId} and l.agent_id = a.id
    left join archives c on c.organization_id = ${organizationId} and c.id = l.archive_id
    where a.organization_id = ${organizationId} and a.id = ${agent_id}`
  const ofArchive = sql<Row>`select c.id as target, c.id, ${serving}, c.vector_db_provider as provider, null as timezone
    from archives c where c.organization_id = ${organizationId} and c.id = ${archive_id}`
  const ofFolder = sql<Row>`select c.id as target, c.id, ${serving}, null as provider, null as timezone
    from folders c where c.organization_id = ${organizationId} and c.id = ${folder_id}`
  const ofFiles = sql<Row>`select a.id as target, c.id, ${serving}, null as provider, a.timezone
    from agents a
    left join agents_folders l on l.organization_id = ${organizationId} and l.agent_id = a.id
    left join folders c on c.organization_id = ${organizationId} and c.id = l.source_id
    where a.organization_id = ${organizationId} and a.id = ${files_of}`
  const ofAll = sql<Row>`select distinct null as target, null as id, ${serving}, null as provider, null as timezone
    from archives c where c.organization_id = ${organizationId}`
  const named = [
    ...(agent_id ? [ofAgent] : archive_id ? [ofArchive] : []),
    ...(folder_id ? [ofFolder] : []),
    ...(files_of ? [ofFiles] : []),
  ]
  return named.length > 0 ? named : [ofAll]
}

/** The models of the rows, each once. */
function modelsOf(rows: readonly Row[]): ServingModel[] {
  const models = new Map<string, ServingModel>()
  for (const { id, config } of rows) {
    if (!config) continue
    const key = modelKey(config)
    const model = models.get(key) ?? { key, config, containers: id === null ? undefined : [] }
    if (id !== null) model.containers?.push(id)
    models.set(key, model)
  }
  return [...models.values()]
}

/**
 * Resolves a target to archives and folders and to the models that serve them, by one statement. 404 for a target that the
 * organization doesn't have.
 */
export async function resolveTargets(scope: Scope, target: SearchTarget): Promise<ResolvedTargets> {
  const { agent_id, archive_id, folder_id, files_of } = target
  const rows = await scope.read<Row>(sql`${sql.join(selectsOf(scope, target), sql` union all `)}`)
  for (const [noun, id] of [
    ['agent', agent_id],
    ['archive', agent_id ? undefined : archive_id],
    ['folder', folder_id],
    ['agent', files_of],
  ] as const) {
    if (id && !rows.some((row) => row.target === id)) throw notFound(noun, id)
  }
  const all = !agent_id && !archive_id && !folder_id && !files_of
  const [first, second] = rows.filter(({ id }) => id !== null)
  const isHosted = first?.provider && first.provider !== 'native' && !second
  return {
    containers: all ? undefined : rows.flatMap(({ id }) => id ?? []),
    models: modelsOf(rows),
    hosted: isHosted ? first.id! : undefined,
    timezone: rows.find(({ timezone }) => timezone)?.timezone ?? null,
  }
}
