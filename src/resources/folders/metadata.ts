import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { invalid } from '../../lib/errors.ts'
import type { FolderMetadata } from './query.ts'

/** The most folders and files of a detailed response, which has to fit into memory. */
const MOST = 10_000

const totalsOf = (organizationId: string) => sql<Omit<FolderMetadata, 'sources'>>`select
  (select count(*) from folders where organization_id = ${organizationId}) as total_sources,
  (select count(*) from files where organization_id = ${organizationId}) as total_files,
  (select coalesce(sum(file_size), 0)::bigint from files where organization_id = ${organizationId}) as total_size`

/** Every folder, oldest first, with its files. */
const detailsOf = (organizationId: string) => sql<Pick<FolderMetadata, 'sources'>>`
  select coalesce(jsonb_agg(jsonb_build_object('source_id', folders.id, 'source_name', folders.name,
      'file_count', coalesce(contents.count, 0), 'total_size', coalesce(contents.size, 0), 'files', coalesce(contents.files, '[]'))
    order by folders.created_at, folders.id), '[]') as sources
  from folders left join (
    select source_id, count(*) as count, coalesce(sum(file_size), 0)::bigint as size, jsonb_agg(
      jsonb_strip_nulls(jsonb_build_object('file_id', id, 'file_name', file_name, 'file_size', file_size))
      order by created_at, id) as files
    from files where organization_id = ${organizationId} group by source_id
  ) as contents on contents.source_id = folders.id
  where folders.organization_id = ${organizationId}`

/**
 * The numbers of folders and files of the organization, and the bytes of the files; with each folder and file when `detailed`.
 * 422 when a detailed response would be too long.
 */
export async function folderMetadata(scope: Scope, detailed = false): Promise<FolderMetadata> {
  const [totals] = await scope.read(totalsOf(scope.organizationId))
  if (!detailed) return { ...totals!, sources: [] }
  if (totals!.total_sources + totals!.total_files > MOST) {
    const message = `must be false: more than ${MOST} folders and files are too many to be listed one by one`
    throw invalid({ in: 'query', field: 'include_detailed_per_source_metadata', message })
  }
  const [details] = await scope.read(detailsOf(scope.organizationId))
  return { ...totals!, ...details! }
}
