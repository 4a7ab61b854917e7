import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import { createClock, inZone } from '../lib/clock.ts'
import { notFound } from '../lib/errors.ts'
import { loadAgentIn } from '../resources/conversations/agent-in.ts'
import { asText, unpackReturn } from '../resources/messages/packed.ts'
import type { StoredMessage, ThreadRow } from '../resources/messages/table.ts'
import { catalogOf } from '../resources/models/handles.ts'
import type { LanguageModels } from '../resources/models/language.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import { pendingRequest } from './approvals.ts'
import type { OwnedRun } from './commit.ts'
import { loadFiles } from './directories.ts'
import type { EventLog } from './event-log.ts'
import { createMemory } from './memory.ts'
import { compilePrompt, isCurrent, stablePrompt } from './prompt.ts'
import { loadFacts } from './prompt-facts.ts'
import type { RunRequest } from './request.ts'
import { inputRow } from './rows.ts'
import { type PastCall, wasBlocked } from './tool-rules.ts'
import type { ToolServices } from './tools/tool.ts'
import type { Turn } from './turn.ts'
import { noUsage } from './usage.ts'

/** A message in context. The first one also bears the columns of its thread. */
type ContextRow = StoredMessage & Partial<Pick<ThreadRow, 'token_count' | 'shortened_to' | 'pending_expires_at'>>

/** The messages in context of a thread, in their order. */
export const loadContext = (scope: Scope, threadId: string): Promise<ContextRow[]> =>
  scope.query<ContextRow>(sql`
    select messages.*, case when n = 1 then threads.token_count end as token_count,
      case when n = 1 then threads.shortened_to end as shortened_to,
      case when n = 1 then threads.pending_expires_at end as pending_expires_at
    from threads
      cross join lateral json_array_elements_text(threads.message_ids) with ordinality as item (id, n)
      join messages on messages.organization_id = ${scope.organizationId} and messages.id = item.id
    where threads.organization_id = ${scope.organizationId} and threads.id = ${threadId} order by n`)

/** The configuration of the model that a request names. 404 for a handle that names no model. */
async function overriding(scope: Scope, handle: string) {
  const catalog = await catalogOf(scope, { llm: [handle] })
  try {
    return catalog.llm(handle)
  } catch {
    throw notFound('model', handle)
  }
}

/** The calls since the last message of the caller, for a run that goes on: after an approval, or the end of its server. */
function pastCalls(rows: readonly StoredMessage[]): PastCall[] {
  const turn = rows.slice(rows.findLastIndex(({ role, otid }) => role === 'user' && otid !== null) + 1)
  const names = new Map(
    turn.flatMap(({ tool_calls }) => (tool_calls ?? []).map((call) => [call.id, call.function.name] as const)),
  )
  return turn
    .flatMap(({ tool_returns }) => tool_returns ?? [])
    .flatMap((stored) => {
      const output = asText(unpackReturn(stored))
      return wasBlocked({ ...stored, output }) ? [] : { name: names.get(stored.tool_call_id) ?? '', output }
    })
}

/** A run to be carried out. */
export interface Start {
  scope: Scope
  run: OwnedRun
  request: RunRequest
  log: EventLog
  signal: AbortSignal
  startedAt: number
  tools: ToolServices
  /** The number of servers that have carried the run out, with this one. */
  attempts: number
  telemetry: Telemetry
}

/** Loads all that a run needs. 404 for an agent that is gone, or a model that the request names wrongly. */
export async function prepareTurn(
  { scope, run, request, log, signal, startedAt, tools, telemetry }: Start,
  models: LanguageModels,
): Promise<Turn> {
  const [agent, context] = [await loadAgentIn(scope, run), await loadContext(scope, run.threadId)]
  const config = request.override_model ? await overriding(scope, request.override_model) : agent.row.llm_config
  const memory = createMemory(agent.blocks)
  const [first, ...others] = context
  const stored = first?.role === 'system' ? first : undefined
  const stable = stablePrompt(agent, memory, await loadFiles(scope, agent))
  const isStale = !stored || !isCurrent(asText(stored.content), stable)
  const rows = stored ? others : context
  const clock = createClock(agent.row.timezone ?? 'UTC')
  const now = inZone(new Date(), clock)
  const compiled = isStale
    ? compilePrompt(stable, await loadFacts(scope, run, context.length, now))
    : asText(stored.content)
  // A summary bears the id of the run that wrote it, maybe before the run's own messages.
  const isBegun = rows.some(({ run_id, role }) => run_id === run.id && role !== 'summary')
  const goesOn = isBegun || request.approval !== undefined
  return {
    scope,
    run,
    request,
    agent,
    memory,
    refused: new Map(),
    models,
    clock,
    model: await models.of(scope, config),
    config,
    system: {
      id: stored?.id ?? '',
      text: compiled,
      changed: stored !== undefined && isStale,
    },
    rows: agent.row.message_buffer_autoclear && !goesOn && !pendingRequest(rows) ? [] : rows,
    count: first?.token_count ?? undefined,
    shortenedTo: first?.shortened_to ?? undefined,
    pendingUntil: first?.pending_expires_at ?? undefined,
    inputs: isBegun ? [] : request.messages.map((message) => inputRow({ run }, message)),
    calls: goesOn ? pastCalls(rows) : [],
    usage: noUsage(),
    outcomes: new Map(),
    log,
    signal,
    startedAt,
    tools,
    telemetry,
  }
}
