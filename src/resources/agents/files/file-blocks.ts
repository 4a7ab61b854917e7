import { sql } from 'kysely'
import { membersOf, objectOf } from '../../../db/members.ts'
import { onPage } from '../../../db/written.ts'
import { FileBlock } from '../../blocks/schema.ts'

/** Where the fields of a file's block come from; those it never has are not named. A closed file has no text. */
const SOURCES: Partial<Record<keyof FileBlock, string>> = {
  id: 'link.block_id',
  value: "case when link.is_open then coalesce(link.visible_content, '') else '' end",
  label: 'files.file_name',
  limit: 'agents.per_file_view_window_char_limit',
  read_only: 'true',
  file_id: 'link.file_id',
  is_open: 'link.is_open',
  source_id: 'link.source_id',
  last_accessed_at: 'link.last_accessed_at',
}

const sourced = Object.entries(FileBlock.properties).filter(([field]) => field in SOURCES)
const written = objectOf(
  membersOf({ properties: Object.fromEntries(sourced) }, (field) => SOURCES[field as keyof FileBlock]!),
)

/** Tables of the files of the agents in `page` as blocks of their memory, the last one by `owner`. */
export const writtenFileBlocks = (name: string, organizationId: string) => {
  const links = sql.table(`${name}_links`)
  return [
    sql`${links} as materialized (
      select * from files_agents where organization_id = ${organizationId} and ${onPage(sql`agent_id`)})`,
    sql`${sql.table(name)} as materialized (
      select link.agent_id as owner, '[' || string_agg(${sql.raw(written)}, ',' order by link.id) || ']' as json
      from ${links} as link
      join files on files.organization_id = link.organization_id and files.id = link.file_id
      join page as agents on agents.id = link.agent_id
      group by link.agent_id)`,
  ]
}
