import type { ExportData } from './load.ts'

/** The ids of the file's own, such as `agent-0`, by the kind and the id of a row. */
export type FileIds = Record<
  'agents' | 'groups' | 'blocks' | 'tools' | 'folders' | 'files' | 'openFiles' | 'messages',
  ReadonlyMap<string | undefined, string>
>

const numbered = (prefix: string, rows: readonly { id?: string }[]) =>
  new Map(rows.map(({ id }, n) => [id, `${prefix}-${n}`]))

/** Numbers the contents of a file by kind, in the order of the file. */
export const numberContents = (data: ExportData): FileIds => ({
  agents: numbered(
    'agent',
    data.agents.map(({ row }) => row),
  ),
  groups: numbered('group', data.groups),
  blocks: numbered('block', data.blocks),
  tools: numbered('tool', data.tools),
  folders: numbered('source', data.folders),
  files: numbered('file', data.files),
  openFiles: numbered('file_agent', data.openFiles),
  messages: numbered('message', data.messages),
})

/** The file's ids of these rows. Rows that aren't in the file are left out. */
export const refsTo = (ids: ReadonlyMap<string | undefined, string>, rows: readonly (string | undefined)[]) =>
  rows.flatMap((id) => ids.get(id) ?? [])
