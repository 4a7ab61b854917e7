import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'

/** A file that an agent sees. */
export interface AttachedFile {
  file_id: string
  file_name: string
  file_type: string | null
  is_open: boolean
  start_line: number | null
  end_line: number | null
  /** The characters of its text. */
  length: number
}

/** The files that an agent sees, by name. */
export const attachedFiles = (scope: Scope, agentId: string): Promise<AttachedFile[]> =>
  scope.read<AttachedFile>(sql`
    select link.file_id, files.file_name, files.file_type, link.is_open, link.start_line, link.end_line,
      octet_length(files.content) as length
    from files_agents as link
      join files on files.organization_id = ${scope.organizationId} and files.id = link.file_id
    where link.organization_id = ${scope.organizationId} and link.agent_id = ${agentId} and files.content is not null
    order by files.file_name, files.id`)

/** What an agent sees of open files, by id. */
export async function visibleContents(scope: Scope, agentId: string, fileIds: readonly string[]) {
  const rows = await scope.read<{ file_id: string; visible_content: string }>(sql`
    select file_id, visible_content from files_agents
    where organization_id = ${scope.organizationId} and agent_id = ${agentId} and file_id = any(${fileIds}::text[])
      and visible_content is not null`)
  return new Map(rows.map(({ file_id, visible_content }) => [file_id, visible_content]))
}

/** The texts of files, one at a time, up to `most` bytes in all and in one. */
export async function* textsOf(scope: Scope, files: readonly AttachedFile[], most: { file: number; all: number }) {
  let left = most.all
  for (const { file_id, length, ...kind } of files) {
    if (length > most.file) continue
    left -= length
    if (left < 0) return
    const [row] = await scope.read<{ content: string }>(sql`
      select content from files where organization_id = ${scope.organizationId} and id = ${file_id} and content is not null`)
    if (row) yield { text: row.content, kind }
  }
}
