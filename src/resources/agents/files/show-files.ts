import { type RawBuilder, sql } from 'kysely'
import type { Scope } from '../../../db/scope.ts'
import { instantOf, newId } from '../../../lib/ids.ts'
import { folders } from '../../folders/schema.ts'
import type { FileRow } from '../../folders/table.ts'
import { lockHolders } from '../holders/lock.ts'
import { accessed, closeSurplus, cutViews, fillViews } from './views.ts'

interface Unseen {
  agent_id: string
  source_id: string
  file_id: string
  max_files_open: number
  open: number
}

/**
 * Shows agents that this transaction has locked the files of their folders that they don't see yet: those with a text. The
 * first of these files are opened, up to `max_files_open`; files that were open before are closed to make room.
 */
export const showFolders = (tx: Scope, agentIds: readonly string[]): Promise<void> =>
  seeFiles(tx, agentIds, sql`true`, false)

/**
 * Shows the files of their folders to imported agents. Files that the import has opened stay open, cut to the agents'
 * limits.
 */
export async function showImported(tx: Scope, agentIds: readonly string[]): Promise<void> {
  await seeFiles(tx, agentIds, sql`true`, true)
  await cutViews(tx, agentIds)
}

/** Shows the files in the agents' folders that meet `which`. When `yielding`, they don't close files that are open. */
async function seeFiles(tx: Scope, agentIds: readonly string[], which: RawBuilder<unknown>, yielding: boolean) {
  const organization = tx.organizationId
  // The lock keeps the files from being deleted before the agents have them.
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
 * Shows a file to every agent that has its folder: agents that see the file already get its new text, others get the file
 * opened. Call it in the transaction that has stored the text and its number of lines (`countLines`).
 */
export async function showFile(tx: Scope, file: Pick<FileRow, 'id' | 'source_id'>): Promise<void> {
  const organization = tx.organizationId
  // The lock keeps the folder from being attached meanwhile: that agent would see neither the old text nor the new one.
  await tx.withoutIfMatch().lock(folders, file.source_id)
  const holders = await lockHolders(tx, 'agents_folders', 'source_id', file.source_id)
  if (holders.length === 0) return
  // The new text has other lines at these numbers.
  await tx.query(sql`update files_agents set visible_content = null, start_line = null, end_line = null
    where organization_id = ${organization} and file_id = ${file.id}`)
  await seeFiles(tx, holders, sql`files.id = ${file.id}`, false)
}

/** Fits an agent's open files to its changed limits, in the transaction that has locked the agent. */
export async function refitFiles(tx: Scope, agentId: string): Promise<void> {
  await closeSurplus(tx, [agentId])
  await tx.query(sql`update files_agents as link set visible_content = null from files
    where link.organization_id = ${tx.organizationId} and link.agent_id = ${agentId} and link.is_open
      and files.organization_id = ${tx.organizationId} and files.id = link.file_id and files.content is not null`)
  await fillViews(tx, [agentId])
}
