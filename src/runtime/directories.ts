import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import type { AgentWithRelations } from '../resources/agents/load.ts'

/** Files that a prompt names at most. The tools find the others. */
const MAX_FILES = 500

/** A file of a folder, as an agent sees it: its text only where it is open. */
export interface VisibleFile {
  source_id: string
  file_name: string
  is_open: boolean
  value: string
}

/** The files that an agent sees, in the order in which it got them, up to one more than a prompt names. */
export async function loadFiles(scope: Scope, { row, folders }: AgentWithRelations): Promise<VisibleFile[]> {
  if (folders.length === 0) return []
  return scope.read<VisibleFile>(sql`
    select link.source_id, files.file_name, link.is_open,
      case when link.is_open then coalesce(link.visible_content, '') else '' end as value
    from files_agents as link
    join files on files.organization_id = ${scope.organizationId} and files.id = link.file_id
    where link.organization_id = ${scope.organizationId} and link.agent_id = ${row.id}
    order by link.is_open desc, link.id limit ${MAX_FILES + 1}`)
}

function fileSection({ file_name, is_open, value }: VisibleFile, limit: number | null | undefined): string {
  return [
    `<file status="${is_open ? 'open' : 'closed'}" name="${file_name}">`,
    '<metadata>',
    '- read_only=true',
    `- chars_current=${Array.from(value).length}`,
    ...(limit == null ? [] : [`- chars_limit=${limit}`]),
    '</metadata>',
    ...(is_open ? ['<value>', value, '</value>'] : []),
    '</file>',
  ].join('\n')
}

/** The section of the folders with their files, the open ones with their text; undefined without folders. */
export function directoriesSection(
  { row, folders }: AgentWithRelations,
  files: readonly VisibleFile[],
): string | undefined {
  if (folders.length === 0) return undefined
  const shown = files.slice(0, MAX_FILES)
  const limit = row.per_file_view_window_char_limit
  const directories = folders.map(({ id, name, description, instructions }) => [
    `<directory name="${name}">`,
    ...(description ? ['<description>', description, '</description>'] : []),
    ...(instructions ? ['<instructions>', instructions, '</instructions>'] : []),
    ...shown.filter(({ source_id }) => source_id === id).map((file) => fileSection(file, limit)),
    '</directory>',
  ])
  return [
    '<directories>',
    '<file_limits>',
    `- current_files_open=${shown.filter(({ is_open }) => is_open).length}`,
    `- max_files_open=${row.max_files_open}`,
    '</file_limits>',
    ...directories.flat(),
    ...(files.length > MAX_FILES ? ['There are more files than these: search them with your tools.'] : []),
    '</directories>',
  ].join('\n')
}
