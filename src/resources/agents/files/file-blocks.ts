import { sql } from 'kysely'
import { jsonMembers, jsonObject, type Names } from '../../../db/render/json-columns.ts'
import { onPage } from '../../../db/render/page.ts'
import { FileBlock } from '../../blocks/schema.ts'

/** SQL of the fields of a file's block, without the fields that it never has. A closed file has no text. */
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

const source = (field: string) => SOURCES[field as keyof FileBlock]

/** Tables of the files of the agents in `page` as blocks of their memory; the last table has them by `owner`. */
export const fileBlocksTables = (name: string, organizationId: unknown, names: Names) => {
  const links = sql.table(`${name}_links`)
  const json = jsonObject(jsonMembers({ shape: FileBlock, source }, names))
  return [
    sql`${links} as materialized (
      select * from files_agents where organization_id = ${organizationId} and ${onPage(sql`agent_id`)})`,
    sql`${sql.table(name)} as materialized (
      select link.agent_id as owner, '[' || string_agg(${sql.raw(json)}, ',' order by link.id) || ']' as json
      from ${links} as link
      join files on files.organization_id = ${organizationId} and files.id = link.file_id
      join page as agents on agents.id = link.agent_id
      group by link.agent_id)`,
  ]
}
