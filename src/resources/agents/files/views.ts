import { type RawBuilder, sql } from 'kysely'
import type { Scope } from '../../../db/scope.ts'
import { headerOf, numbered, type Range } from '../../../files/lines.ts'

/** The visible contents of open files. Only a transaction that has locked the agent changes them. */

/** Ends the visible content of a file that goes on, within the limit. */
const NOTICE = '\n...[TRUNCATED]'

/** SQL of the visible part of a text, of the length that the agent's limit allows. */
const cut = (text: RawBuilder<unknown>) => sql`case
  when char_length(${text}) <= agents.per_file_view_window_char_limit then ${text}
  else left(${text}, greatest(agents.per_file_view_window_char_limit - ${NOTICE.length}::int, 0))
    || left(${NOTICE}::text, agents.per_file_view_window_char_limit) end`

/** The maximum of characters that one statement reads, unless a single file needs more. */
const MAX_BATCH_LENGTH = 4_000_000

/**
 * SQL of the instant of an agent's access, after its accesses to all open files. Files opened by one statement are equally old,
 * and the first of them stays open longest.
 */
export const accessed = (organizationId: string, agentId: RawBuilder<unknown>) => sql`(
  select greatest(statement_timestamp(), max(others.last_accessed_at) + interval '1 millisecond') from files_agents as others
  where others.organization_id = ${organizationId} and others.agent_id = ${agentId} and others.is_open)`

/**
 * Closes the least recently accessed of the files that agents have open beyond their `max_files_open`. Returns the names of
 * the closed files, the least recently accessed first.
 */
export async function closeSurplus(tx: Scope, agentIds: readonly string[]): Promise<string[]> {
  const closed = await tx.query(sql<{ file_name: string }>`
    with ranked as (
      select link.id, row_number() over (
        partition by link.agent_id order by link.last_accessed_at desc nulls last, link.id) as place, agents.max_files_open
      from files_agents as link
      join agents on agents.organization_id = ${tx.organizationId} and agents.id = link.agent_id
      where link.organization_id = ${tx.organizationId} and link.agent_id = any(${agentIds}::text[]) and link.is_open
    ), closed as (
      update files_agents as link set is_open = false, visible_content = null, start_line = null, end_line = null
      from ranked where link.organization_id = ${tx.organizationId} and link.id = ranked.id and place > max_files_open
      returning link.file_id, place
    )
    select file_name from closed join files on files.organization_id = ${tx.organizationId} and files.id = file_id
    order by place desc, file_id`)
  return closed.map(({ file_name }) => file_name)
}

/** Cuts the visible contents of imported agents to the agents' limits. */
export async function cutViews(tx: Scope, agentIds: readonly string[]): Promise<void> {
  await tx.query(sql`update files_agents as link set visible_content = ${cut(sql`link.visible_content`)}
    from agents where link.organization_id = ${tx.organizationId} and link.agent_id = any(${agentIds}::text[])
      and agents.organization_id = ${tx.organizationId} and agents.id = link.agent_id
      and char_length(link.visible_content) > agents.per_file_view_window_char_limit`)
}

interface View extends Range {
  file_id: string
  file_name: string
  file_type: string | null
  line_count: number | null
  /** The largest limit of the agents that see the file, in characters. */
  size: number
}

/**
 * Fills in the visible contents of open files that have none yet. Only the beginning of a text is read where that is enough,
 * once for all agents that see the same lines.
 */
export async function fillViews(tx: Scope, agentIds: readonly string[]): Promise<void> {
  const wanted = await tx.query(sql<View>`
    select link.file_id, link.start_line, link.end_line, file_name, file_type, line_count,
      max(agents.per_file_view_window_char_limit) as size
    from files_agents as link
    join agents on agents.organization_id = ${tx.organizationId} and agents.id = link.agent_id
    join files on files.organization_id = ${tx.organizationId} and files.id = link.file_id and files.content is not null
    where link.organization_id = ${tx.organizationId} and link.agent_id = any(${agentIds}::text[])
      and link.is_open and link.visible_content is null
    group by link.file_id, link.start_line, link.end_line, file_name, file_type, line_count`)
  let batch: View[] = []
  let length = 0
  for (const one of wanted) {
    const reading = 2 * one.size + 100
    if (batch.length > 0 && length + reading > MAX_BATCH_LENGTH) {
      await fill(tx, agentIds, batch)
      batch = []
      length = 0
    }
    batch.push(one)
    length += reading
  }
  if (batch.length > 0) await fill(tx, agentIds, batch)
}

/** More characters than any text has. */
const WHOLE = 2 ** 31 - 1

async function fill(tx: Scope, agentIds: readonly string[], wanted: readonly View[]): Promise<void> {
  const read = (ids: readonly string[], most: number) =>
    tx.query(sql<{ id: string; text: string }>`select id, left(content, ${most}::int) as text from files
      where organization_id = ${tx.organizationId} and id = any(${ids}::text[])`)
  const ids = wanted.map(({ file_id }) => file_id)
  const most = Math.min(WHOLE, Math.max(...wanted.map(({ size }) => 2 * size + 100)))
  const beginnings = new Map((await read(ids, most)).map(({ id, text }) => [id, text]))
  const texts: string[] = []
  for (const one of wanted) {
    const beginning = beginnings.get(one.file_id)!
    let shown = numbered(beginning, one, one, one.size)
    // A beginning that is mostly blank, or lies before the requested lines, doesn't fill the view.
    if (!shown.filled && beginning.length >= most) {
      shown = numbered((await read([one.file_id], WHOLE))[0]!.text, one, one, one.size)
    }
    texts.push([headerOf(one, one.line_count), ...(shown.text ? [shown.text] : [])].join('\n'))
  }
  const ends = (which: 'start_line' | 'end_line') => wanted.map((one) => one[which] ?? null)
  await tx.query(sql`
    update files_agents as link set visible_content = ${cut(sql`shown.text`)}
    from agents, unnest(${ids}::text[], ${ends('start_line')}::int[], ${ends('end_line')}::int[], ${texts}::text[])
      as shown (file_id, start_line, end_line, text)
    where link.organization_id = ${tx.organizationId} and link.agent_id = any(${agentIds}::text[])
      and link.is_open and link.visible_content is null and link.file_id = shown.file_id
      and link.start_line is not distinct from shown.start_line and link.end_line is not distinct from shown.end_line
      and agents.organization_id = ${tx.organizationId} and agents.id = link.agent_id`)
}
