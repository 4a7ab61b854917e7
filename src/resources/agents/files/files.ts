import { type RawBuilder, sql } from 'kysely'
import { NEXT } from '../../../db/marks.ts'
import { type Rendered, renderObject } from '../../../db/render/rendered.ts'
import type { Scope } from '../../../db/scope.ts'
import type { Range } from '../../../files/lines.ts'
import { conflict, invalid, notFound } from '../../../lib/errors.ts'
import { instantOf, newId } from '../../../lib/ids.ts'
import { folders } from '../../folders/schema.ts'
import type { FileRow } from '../../folders/table.ts'
import { lockHolders } from '../holders/lock.ts'
import { agents } from '../schema.ts'
import { type AgentFiles, agentFiles, type ListAgentFiles, type OpenFile } from './schema.ts'
import { accessed, closeSurplus, cutViews, fillViews } from './views.ts'

/** The files an agent sees, newest first. 404 for an unknown agent. */
export async function listFilesOfAgent(
  scope: Scope,
  agentId: string,
  { cursor, is_open, ...page }: ListAgentFiles,
): Promise<Rendered<AgentFiles>> {
  const files = await scope.list(agentFiles, { ...page, after: page.after ?? cursor }, (query) =>
    query
      .where('files_agents.agent_id', '=', agentId)
      .$if(is_open !== undefined, (q) => q.where('files_agents.is_open', '=', is_open!)),
  )
  // A file in the list shows that the agent exists.
  if (files.isEmpty) await scope.exists('agents', agentId)
  const next = files[NEXT]
  const cursorOfNext = next?.after ?? next?.before
  return renderObject({
    files,
    ...(cursorOfNext !== undefined && { next_cursor: cursorOfNext }),
    has_more: next !== undefined,
  })
}

interface Unseen {
  agent_id: string
  source_id: string
  file_id: string
  max_files_open: number
  open: number
}

/**
 * Lets agents that this transaction holds see what they don't see yet of the files in their folders: those that have a
 * text. The first of them are opened, as many as may be open, and what was open before is closed where there is no room
 * for both.
 */
export const showFolders = (tx: Scope, agentIds: readonly string[]): Promise<void> =>
  seeFiles(tx, agentIds, sql`true`, false)

/** The same for agents from elsewhere, which have files open already: these stay open, and are cut to the limits. */
export async function showImported(tx: Scope, agentIds: readonly string[]): Promise<void> {
  await seeFiles(tx, agentIds, sql`true`, true)
  await cutViews(tx, agentIds)
}

/** Files that are `which`, in the agents' folders; `yielding`, they take only the room that is left. */
async function seeFiles(tx: Scope, agentIds: readonly string[], which: RawBuilder<unknown>, yielding: boolean) {
  const organization = tx.organizationId
  // Held, so that none is deleted before it is seen.
  const unseen = await tx.query(sql<Unseen>`
    select attached.agent_id, files.source_id, files.id as file_id, agents.max_files_open, (
      select count(*) from files_agents as link where link.organization_id = ${organization}
        and link.agent_id = attached.agent_id and link.is_open) as open
    from agents_folders as attached
    join agents on agents.organization_id = ${organization} and agents.id = attached.agent_id
    join files on files.organization_id = ${organization} and files.source_id = attached.source_id
    where attached.organization_id = ${organization} and attached.agent_id = any(${agentIds}::text[])
      and files.content is not null and ${which}
      and not exists (select from files_agents as link where link.organization_id = ${organization}
        and link.agent_id = attached.agent_id and link.file_id = files.id)
    order by attached.agent_id, attached.position, files.created_at, files.id
    for key share of files`)
  if (unseen.length > 0) {
    const opened = new Map<string, number>()
    const rows = unseen.map(({ max_files_open, open, ...row }) => {
      const n = opened.get(row.agent_id) ?? (yielding ? open : 0)
      opened.set(row.agent_id, n + 1)
      const id = newId('file_agent')
      return { ...row, id, block_id: newId('block'), is_open: n < max_files_open, created_at: instantOf(id)! }
    })
    await tx.query(sql`
      insert into files_agents
        (organization_id, id, agent_id, source_id, file_id, block_id, is_open, last_accessed_at, created_at)
      select ${organization}, id, agent_id, source_id, file_id, block_id, is_open,
        case when is_open then ${accessed(organization, sql.ref('given.agent_id'))} end, created_at
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (id text, agent_id text, source_id text,
        file_id text, block_id text, is_open boolean, created_at timestamptz(3)) returning id`)
  }
  await closeSurplus(tx, agentIds)
  await fillViews(tx, agentIds)
}

/**
 * Shows a file to every agent that has its folder: to those that see it already, as its text is now; to the others as a
 * new one, which is opened. Call it in the transaction that has stored the text and how many lines it has (`countLines`).
 */
export async function showFile(tx: Scope, file: Pick<FileRow, 'id' | 'source_id'>): Promise<void> {
  const organization = tx.organizationId
  // Held, so that no agent gets the folder meanwhile, which would see neither the text of before nor this one.
  await tx.withoutIfMatch().lock(folders, file.source_id)
  const holders = await lockHolders(tx, 'agents_folders', 'source_id', file.source_id)
  if (holders.length === 0) return
  // Lines that were asked for are others now.
  await tx.query(sql`update files_agents set visible_content = null, start_line = null, end_line = null
    where organization_id = ${organization} and file_id = ${file.id}`)
  await seeFiles(tx, holders, sql`files.id = ${file.id}`, false)
}

/** Brings an agent's open files to its limits, after these have changed, in the transaction that holds it. */
export async function refitFiles(tx: Scope, agentId: string): Promise<void> {
  await closeSurplus(tx, [agentId])
  await tx.query(sql`update files_agents as link set visible_content = null from files
    where link.organization_id = ${tx.organizationId} and link.agent_id = ${agentId} and link.is_open
      and files.organization_id = ${tx.organizationId} and files.id = link.file_id and files.content is not null`)
  await fillViews(tx, [agentId])
}

/** Holds the agent while its files are opened and closed. 404. */
const onAgent = <T>(scope: Scope, agentId: string, work: (tx: Scope) => Promise<T>) =>
  scope.transaction(async (tx) => {
    await tx.lock(agents, agentId)
    return work(tx)
  })

/** 422 for lines the file doesn't have. */
function checkRange({ start_line, end_line }: Range, count: number | null): void {
  const fault = (field: string, message: string) => invalid({ in: 'query', field, message })
  if (start_line && end_line && end_line < start_line) throw fault('end_line', 'must not be less than start_line')
  if (start_line && count !== null && start_line > Math.max(count, 1)) {
    throw fault('start_line', `must be at most ${count}, the number of lines of the file`)
  }
}

/**
 * Opens a file of an agent, at these lines, or shows others of an open one. Returns the names of the files that were closed
 * for it, the least recently accessed first. 404 for a file that is in no folder of the agent's, 409 for one without a
 * text and for an agent that may have none open.
 */
export const openFile = (scope: Scope, agentId: string, fileId: string, range: OpenFile): Promise<string[]> =>
  onAgent(scope, agentId, async (tx) => {
    const organization = tx.organizationId
    const [found] = await tx.query(sql<{ line_count: number | null; readable: boolean; max_files_open: number }>`
      select line_count, files.content is not null as readable, max_files_open from files
      join agents_folders as attached on attached.organization_id = ${organization}
        and attached.source_id = files.source_id and attached.agent_id = ${agentId}
      join agents on agents.organization_id = ${organization} and agents.id = attached.agent_id
      where files.organization_id = ${organization} and files.id = ${fileId}`)
    if (!found) throw notFound('file', fileId)
    if (!found.readable) throw conflict(`The file ${fileId} has no text that could be shown.`)
    if (found.max_files_open === 0) throw conflict('This agent may have no file open: its max_files_open is 0.')
    checkRange(range, found.line_count)
    await tx.query(sql`update files_agents set is_open = true, visible_content = null,
        start_line = ${range.start_line ?? null}::int, end_line = ${range.end_line ?? null}::int,
        last_accessed_at = ${accessed(organization, sql.ref('files_agents.agent_id'))}
      where organization_id = ${organization} and agent_id = ${agentId} and file_id = ${fileId}`)
    const closed = await closeSurplus(tx, [agentId])
    await fillViews(tx, [agentId])
    return closed
  })

/** Closes these files of an agent that this transaction holds. Returns their names, those it has seen longest first. */
const close = (tx: Scope, agentId: string, which: RawBuilder<unknown>) =>
  tx.query(sql<{ file_name: string }>`
    with closed as (
      update files_agents set is_open = false, visible_content = null, start_line = null, end_line = null,
        last_accessed_at = statement_timestamp()
      where organization_id = ${tx.organizationId} and agent_id = ${agentId} and ${which} returning id, file_id
    )
    select file_name from closed join files on files.organization_id = ${tx.organizationId} and files.id = file_id
    order by closed.id`)

/** Closes a file of an agent, if it is open. 404 for a file the agent doesn't see. */
export const closeFile = (scope: Scope, agentId: string, fileId: string): Promise<{ message: string }> =>
  onAgent(scope, agentId, async (tx) => {
    const closed = await close(tx, agentId, sql`file_id = ${fileId}`)
    if (closed.length === 0) throw notFound('file', fileId)
    return { message: `File id=${fileId} successfully closed` }
  })

/** Closes every open file of an agent. Returns their names, those it has seen longest first. */
export const closeAllFiles = (scope: Scope, agentId: string): Promise<string[]> =>
  onAgent(scope, agentId, async (tx) => (await close(tx, agentId, sql`is_open`)).map(({ file_name }) => file_name))
