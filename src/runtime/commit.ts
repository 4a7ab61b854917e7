import { type RawBuilder, sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import type { ApprovalRequestMessage, StopReason, UsageStatistics } from '../resources/messages/schema.ts'
import type { ContentPart, StoredMessage, TokenCount } from '../resources/messages/table.ts'
import type { RunStatus } from '../resources/runs/table.ts'
import { countUsage, isSpent, type Used } from './budgets.ts'
import type { Chunk } from './event-log.ts'

/** The run that a server carries out. A commit with an older fence than the run's changes nothing. */
export interface OwnedRun {
  id: string
  threadId: string
  agentId: string
  conversationId?: string | undefined
  groupId?: string | undefined
  owner: string
  fence: number
  /** Whether somebody gets a callback at its end. */
  hasCallback: boolean
  /** The runs that waited for the thread when this one ended; undefined before. */
  waitingAtEnd?: number
}

/** The row of a step, by its columns. */
export type StepColumns = Readonly<Record<string, unknown>> & { id: string }

/** The request that a step sent to its provider, and the response. */
export type TraceColumns = Readonly<Record<string, unknown>> & { id: string }

/** How a run ends. */
export interface RunEnd {
  status: Extract<RunStatus, 'completed' | 'failed' | 'cancelled'>
  stopReason: StopReason
  /** When the run was accepted, in milliseconds. */
  startedAt: number
  /** Until the first token, in milliseconds. */
  firstTokenMs?: number | undefined
  /** The error as the run shows it, and the whole failure for those who wait for the run. */
  error?: object | undefined
  failure?: object | undefined
  usage?: UsageStatistics | undefined
}

/** The changes of one commit: all of them happen, or none. */
export interface Commit {
  messages?: readonly StoredMessage[]
  /** The ids in context afterwards. */
  context?: readonly string[]
  /** The tokens of the prompt of a step. */
  count?: TokenCount | undefined
  /** The last message whose tool returns the model sees shortened. */
  shortenedTo?: string | undefined
  /** The request that waits for approval afterwards; null for none. */
  pending?: ApprovalRequestMessage | null
  /** The instant from which that request is denied. */
  pendingUntil?: string | undefined
  /** Steps, and the requests that they sent. */
  steps?: readonly StepColumns[]
  traces?: readonly TraceColumns[]
  /** The system prompt, compiled anew. */
  system?: { id: string; content: readonly ContentPart[] } | undefined
  /** The events that readers of the run get. */
  chunk?: Chunk | undefined
  end?: RunEnd
}

/** The answer to a commit: undefined when another server owns the run. */
export interface Committed {
  /** Whether the run is to be cancelled. */
  cancel: boolean
  /** The runs that wait for the thread. */
  waiting: number
  /** Whether a budget of the run was used up before this step. */
  spent: boolean
}

const MAX_INT8 = Number.MAX_SAFE_INTEGER
const nanoseconds = (ms: number) => Math.min(Math.round(ms * 1e6), MAX_INT8)

/**
 * A common table expression that inserts rows from JSON where the table `run` of the statement has a row. `replace`: in place of
 * the rows with these ids.
 */
export function insertRows(
  name: string,
  table: string,
  organizationId: string,
  rows: readonly object[],
  { replace = false } = {},
) {
  const names = Object.keys(rows[0]!)
  // One piece of SQL: compiling each column by itself takes longer than the rest of a commit. The names are those of our own rows.
  const columns = sql.raw(names.map((column) => `"${column}"`).join())
  const changes = sql.raw(names.map((column) => `"${column}" = excluded."${column}"`).join())
  return sql`${sql.ref(name)} as (
    insert into ${sql.table(table)} (organization_id, ${columns})
    select ${organizationId}, ${columns}
    from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json) where exists (select from run)
    ${replace ? sql`on conflict (organization_id, id) do update set ${changes}` : sql``})`
}

/** Common table expressions that store steps, and the requests that they sent, as `insertRows`. */
export const stepTables = (
  organizationId: string,
  steps: readonly StepColumns[],
  traces: readonly TraceColumns[],
): RawBuilder<unknown>[] => [
  ...(steps.length > 0 ? [insertRows('steps', 'steps', organizationId, steps, { replace: true })] : []),
  ...(traces.length > 0 ? [insertRows('traces', 'provider_traces', organizationId, traces)] : []),
]

/** The tokens and the cost of steps; undefined where none is at its end: a step whose calls are still to run is stored again. */
export function usedBy(all: readonly StepColumns[]): Used | undefined {
  const steps = all.filter(({ phase }) => phase !== 'tools')
  if (steps.length === 0) return undefined
  const sum = (column: string) => steps.reduce((total, step) => total + Number(step[column] ?? 0), 0)
  return { tokens: sum('total_tokens'), cost: sum('cost') }
}

/** The columns of a run that its end sets. */
function endOfRun({ status, stopReason, startedAt, firstTokenMs, error, failure, usage }: RunEnd, now: string) {
  const metadata = error
    ? sql`, failure = ${JSON.stringify(failure)}::json,
        metadata = (coalesce(metadata::jsonb, '{}') || ${JSON.stringify({ error })}::jsonb)::json`
    : sql``
  return sql`, status = ${status}, stop_reason = ${stopReason}, completed_at = ${now}::timestamptz,
    total_duration_ns = ${nanoseconds(Date.parse(now) - startedAt)}::bigint,
    ttft_ns = ${firstTokenMs === undefined ? null : nanoseconds(firstTokenMs)}::bigint,
    usage = ${usage ? JSON.stringify(usage) : null}::json ${metadata}`
}

function endTables(run: OwnedRun, organizationId: string, end: RunEnd, now: string): RawBuilder<unknown>[] {
  const duration = Date.parse(now) - end.startedAt
  const agent = sql`agent as (
    update agents set last_run_completion = ${now}::timestamptz, last_run_duration_ms = ${duration}::int,
      last_stop_reason = ${end.stopReason}
    where organization_id = ${organizationId} and id = ${run.agentId} and exists (select from run))`
  const conversation = sql`conversation as (
    update conversations set last_run_completion = ${now}::timestamptz
    where organization_id = ${organizationId} and id = ${run.conversationId} and exists (select from run))`
  const finished = run.conversationId === undefined ? [agent] : [agent, conversation]
  if (end.status === 'completed') return finished
  // The calls of a step that could not be carried on have their results in the ledger alone.
  const interrupted = sql`interrupted as (
    update steps set status = ${end.status}, phase = 'done', answer = null
    where organization_id = ${organizationId} and run_id = ${run.id} and phase = 'tools' and exists (select from run))`
  // A failed run may be sent again with the same ids.
  const otids = sql`otids as (
    delete from run_otids where organization_id = ${organizationId} and run_id = ${run.id} and exists (select from run))`
  return [...finished, otids, interrupted]
}

/** The columns of a thread that a commit sets. */
const threadColumns = ({ context, count, shortenedTo, pending, pendingUntil, end }: Commit) => [
  ...(context ? [sql`message_ids = ${JSON.stringify(context)}::json`] : []),
  ...(count ? [sql`token_count = ${JSON.stringify(count)}::json`] : []),
  ...(shortenedTo ? [sql`shortened_to = ${shortenedTo}`] : []),
  ...(pending === undefined
    ? []
    : [
        sql`pending_approval = ${pending && JSON.stringify(pending)}::json`,
        sql`pending_expires_at = ${pendingUntil ?? null}::timestamptz`,
      ]),
  ...(end ? [sql`run_id = null`] : []),
]

/**
 * Stores a step, or the end of a run, by one statement. Undefined when this server doesn't own the run any more: then nothing
 * is stored, and the caller must stop.
 */
export async function commitRun(scope: Scope, run: OwnedRun, changes: Commit): Promise<Committed | undefined> {
  const { organizationId } = scope
  const { messages = [], steps = [], traces = [], system, chunk, end } = changes
  const now = new Date().toISOString()
  const used = usedBy(steps)
  const tables = [
    ...(messages.length > 0 ? [insertRows('added', 'messages', organizationId, messages)] : []),
    ...stepTables(organizationId, steps, traces),
    ...(system
      ? [
          sql`prompt as (update messages set content = ${JSON.stringify(system.content)}::json
            where organization_id = ${organizationId} and id = ${system.id} and exists (select from run))`,
        ]
      : []),
    ...(chunk
      ? [
          sql`chunk as (insert into run_chunks (organization_id, run_id, last_seq, first_seq, data)
            select ${organizationId}, run.id, ${chunk.last}, ${chunk.first}, ${chunk.data}::json from run
            on conflict do nothing)`,
        ]
      : []),
    ...(end ? endTables(run, organizationId, end, now) : []),
    ...(used ? [countUsage(scope, run, now, used)] : []),
    sql`thread as (
      update threads set ${sql.join([...threadColumns(changes), sql`id = id`])}
      where organization_id = ${organizationId} and id = ${run.threadId} and exists (select from run)
      returning waiting)`,
  ]
  const [row] = await scope.query<Committed>(sql`
    with run as (
      update runs set version = version + 1, updated_at = ${now}::timestamptz ${end ? endOfRun(end, now) : sql``}
      where organization_id = ${organizationId} and id = ${run.id} and status = 'running'
        and owner = ${run.owner} and fence = ${run.fence}
      returning id, cancel_requested_at is not null as cancel
    ), ${sql.join(tables)}
    select run.cancel, thread.waiting, ${used ? isSpent(scope, run, now, false) : sql`false`} as spent from run, thread`)
  return row
}
