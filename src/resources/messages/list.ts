import { type RawBuilder, sql } from 'kysely'
import { NEXT, type PageOf } from '../../db/marks.ts'
import { pageColumns, pageRows } from '../../db/render/page.ts'
import type { Scope } from '../../db/scope.ts'
import { type FanOut, toMessages } from './fan-out.ts'
import type { Message, MessageType } from './schema.ts'
import type { MessageRow } from './table.ts'

/** The page of a list of messages. `limit` counts rows: one row may be several messages. */
export interface MessagePage {
  limit?: number | undefined
  order?: 'asc' | 'desc' | undefined
  after?: string | undefined
  before?: string | undefined
  /** Whether clients of the vendor, too, get rows and cursors in the order that they ask for. */
  inOrder?: boolean
}

interface Bounds {
  newerThan?: string | undefined
  olderThan?: string | undefined
  /** The order in which rows are fetched, and whether the page then shows them in reverse. */
  fetch: 'asc' | 'desc'
  reversed: boolean
}

/** The bounds of a page in the order that the caller asks for. */
function bounds({ order = 'desc', after, before }: MessagePage): Bounds {
  const [following, preceding] = order === 'asc' ? (['asc', 'desc'] as const) : (['desc', 'asc'] as const)
  const named = order === 'asc' ? { newerThan: after, olderThan: before } : { newerThan: before, olderThan: after }
  const backward = before !== undefined && after === undefined
  return { ...named, fetch: backward ? preceding : following, reversed: backward }
}

/** The bounds for clients of the vendor: cursors are older or newer rows in any order, and pages show the oldest row first. */
const vendorBounds = ({ order = 'desc', after, before }: MessagePage): Bounds => ({
  newerThan: after,
  olderThan: before,
  fetch: order,
  reversed: order === 'desc',
})

/** A message, the type of its agent, and whether another message follows. */
type ListedRow = MessageRow & { agent_type: string; followed: boolean | null }

const BYTES = sql`octet_length(concat(content, tool_calls, tool_returns))`

/** A page of the rows of messages that a condition keeps. 404 for a cursor that is no message of the organization. */
export async function listRows(
  scope: Scope,
  condition: RawBuilder<unknown>,
  page: MessagePage,
): Promise<PageOf<ListedRow>> {
  const vendor = scope.names === 'vendor'
  const limit = page.limit ?? (vendor ? 100 : 50)
  const ownBounds = vendor && !page.inOrder
  const { newerThan, olderThan, fetch, reversed } = ownBounds ? vendorBounds(page) : bounds(page)
  for (const cursor of [newerThan, olderThan]) if (cursor !== undefined) await scope.exists('messages', cursor)
  const position = (id: string) =>
    sql`(select created_at, id from messages as cursor_row
      where cursor_row.organization_id = ${scope.organizationId} and cursor_row.id = ${id})`
  const orderBy = sql`created_at ${sql.raw(fetch)}, id ${sql.raw(fetch)}`
  const selected = sql`(
    select *, ${pageColumns(orderBy, BYTES)}, (select agent_type from agents
      where agents.organization_id = ${scope.organizationId} and agents.id = messages.agent_id) as agent_type
    from messages where organization_id = ${scope.organizationId} and ${condition}
      ${newerThan === undefined ? sql`` : sql`and (created_at, id) > ${position(newerThan)}`}
      ${olderThan === undefined ? sql`` : sql`and (created_at, id) < ${position(olderThan)}`}
    order by ${orderBy} limit ${limit + 1})`
  const shown: PageOf<ListedRow> = await scope.read<ListedRow>(sql`${pageRows(limit, selected)} order by n`)
  const last = shown.at(-1)
  if (reversed) shown.reverse()
  if (last?.followed && !ownBounds) shown[NEXT] = reversed ? { before: last.id } : { after: last.id }
  return shown
}

/** A page of the messages that a condition keeps, as `listRows`. `types`: only messages of these types. */
export async function listMessages(
  scope: Scope,
  condition: RawBuilder<unknown>,
  page: MessagePage,
  fanOut: (row: ListedRow) => FanOut,
  types?: readonly MessageType[] | null,
): Promise<PageOf<Message>> {
  const rows = await listRows(scope, condition, page)
  const messages: PageOf<Message> = rows
    .flatMap((row) => toMessages(row, fanOut(row)))
    .filter(({ message_type }) => !types || types.includes(message_type))
  messages[NEXT] = rows[NEXT]
  return messages
}
