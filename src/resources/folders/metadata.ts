import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { invalid } from '../../lib/errors.ts'
import type { FolderMetadata } from './schema.ts'

/** As many folders and files as are told one by one: an answer has to fit into memory. */
const MOST = 10_000

const TOTALS = (organizationId: string) => sql`
  (select count(*) from folders where organization_id = ${organizationId}) as total_sources,
  (select count(*) from files where organization_id = ${organizationId}) as total_files,
  (select coalesce(sum(file_size), 0)::bigint from files where organization_id = ${organizationId}) as total_size`

/** Every folder, oldest first, with its files. */
const DETAILS = (organizationId: string) => sql`(
  select coalesce(jsonb_agg(jsonb_build_object('source_id', folders.id, 'source_name', folders.name,
      'file_count', coalesce(held.count, 0), 'total_size', coalesce(held.size, 0), 'files', coalesce(held.files, '[]'))
    order by folders.created_at, folders.id), '[]')
  from folders left join (
    select source_id, count(*) as count, coalesce(sum(file_size), 0)::bigint as size, jsonb_agg(
      jsonb_strip_nulls(jsonb_build_object('file_id', id, 'file_name', file_name, 'file_size', file_size))
      order by created_at, id) as files
    from files where organization_id = ${organizationId} group by source_id
  ) as held on held.source_id = folders.id
  where folders.organization_id = ${organizationId})`

/**
 * How many folders and files the organization has, and how many bytes; with each of them when `detailed`. 422 when there
 * are too many to be told one by one.
 */
export async function folderMetadata(scope: Scope, detailed = false): Promise<FolderMetadata> {
  const { organizationId } = scope
  const totals = sql`totals as (select ${TOTALS(organizationId)})`
  // The list is not made where it would be too long.
  const few = sql`total_sources + total_files <= ${MOST}`
  const [found] = await scope.query<Omit<FolderMetadata, 'sources'> & { sources: FolderMetadata['sources'] | null }>(
    detailed
      ? sql`with ${totals} select totals.*, case when ${few} then ${DETAILS(organizationId)} end as sources from totals`
      : sql`with ${totals} select totals.*, '[]'::jsonb as sources from totals`,
  )
  const { sources, ...rest } = found!
  if (sources) return { ...rest, sources }
  const message = `must be false: more than ${MOST} folders and files are too many to be told one by one`
  throw invalid({ in: 'query', field: 'include_detailed_per_source_metadata', message })
}
