import { type RawBuilder, sql } from 'kysely'
import { NEXT } from '../../../db/marks.ts'
import { Rendered } from '../../../db/render/rendered.ts'
import { renderObject } from '../../../db/render/wrap.ts'
import type { Scope } from '../../../db/scope.ts'
import type { Range } from '../../../files/lines.ts'
import { conflict, invalid, notFound } from '../../../lib/errors.ts'
import { agents } from '../schema.ts'
import { type AgentFiles, agentFiles, type ListAgentFiles, type OpenFile } from './schema.ts'
import { accessed, closeSurplus, fillViews } from './views.ts'

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
  const { segments } = renderObject({
    files,
    next_cursor: cursorOfNext ?? (scope.names === 'vendor' ? null : undefined),
    has_more: next !== undefined,
  })
  // The Link header is made from the cursor, too.
  return new Rendered(segments, next && { [NEXT]: next })
}

/** 422 for lines that the file doesn't have. */
function checkRange({ start_line, end_line }: Range, count: number | null): void {
  const issue = (field: string, message: string) => invalid({ in: 'query', field, message })
  if (start_line && end_line && end_line < start_line) throw issue('end_line', 'must not be less than start_line')
  if (start_line && count !== null && start_line > Math.max(count, 1)) {
    throw issue('start_line', `must be at most ${count}, the number of lines of the file`)
  }
}

/**
 * Opens a file of an agent, at these lines, or shows others of an open one. Returns the names of the files that were closed
 * for it, the least recently accessed first. 404 for a file that is in no folder of the agent's, 409 for one without a
 * text and for an agent that may have none open.
 */
export const openFile = (scope: Scope, agentId: string, fileId: string, range: OpenFile): Promise<string[]> =>
  scope.locking(agents, agentId, async (tx) => {
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

/**
 * Closes these files of an agent that this transaction has locked. Returns their names, in the order in which the agent got
 * the files.
 */
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
  scope.locking(agents, agentId, async (tx) => {
    const closed = await close(tx, agentId, sql`file_id = ${fileId}`)
    if (closed.length === 0) throw notFound('file', fileId)
    return { message: `File id=${fileId} successfully closed` }
  })

/** Closes every open file of an agent. Returns their names, in the order in which the agent got the files. */
export const closeAllFiles = (scope: Scope, agentId: string): Promise<string[]> =>
  scope.locking(agents, agentId, async (tx) =>
    (await close(tx, agentId, sql`is_open`)).map(({ file_name }) => file_name),
  )

/** Notes that an agent has read in these files: those read last stay open longest. A file that isn't open is left out. */
export const touchFiles = (scope: Scope, agentId: string, fileIds: readonly string[]): Promise<unknown> =>
  scope.query(sql`
    update files_agents set last_accessed_at = ${accessed(scope.organizationId, sql.ref('files_agents.agent_id'))}
    where organization_id = ${scope.organizationId} and agent_id = ${agentId} and file_id = any(${fileIds}::text[]) and is_open
    returning id`)
