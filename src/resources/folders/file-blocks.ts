import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import type { FileBlock } from '../blocks/schema.ts'

interface Row {
  agent_id: string
  block_id: string
  file_id: string
  source_id: string
  file_name: string
  is_open: boolean
  visible_content: string | null
  last_accessed_at: string | null
  limit: number | null
}

/** The files of each of these agents as blocks of its memory, by one statement. A closed file has no text. */
export async function fileBlocksOf(scope: Scope, agentIds: readonly string[]): Promise<Map<string, FileBlock[]>> {
  const rows = await scope.query<Row>(sql`
    select link.agent_id, link.block_id, link.file_id, link.source_id, files.file_name, link.is_open,
      link.visible_content, link.last_accessed_at, agents.per_file_view_window_char_limit as "limit"
    from files_agents as link
    join files on files.organization_id = link.organization_id and files.id = link.file_id
    join agents on agents.organization_id = link.organization_id and agents.id = link.agent_id
    where link.organization_id = ${scope.organizationId} and link.agent_id = any(${agentIds}::text[])
    order by link.id`)
  const found = new Map<string, FileBlock[]>()
  for (const row of rows) {
    const block: FileBlock = {
      id: row.block_id,
      value: row.is_open ? (row.visible_content ?? '') : '',
      label: row.file_name,
      read_only: true,
      file_id: row.file_id,
      source_id: row.source_id,
      is_open: row.is_open,
      ...(row.limit !== null && { limit: row.limit }),
      ...(row.last_accessed_at !== null && { last_accessed_at: row.last_accessed_at }),
    }
    const list = found.get(row.agent_id)
    if (list) list.push(block)
    else found.set(row.agent_id, [block])
  }
  return found
}
