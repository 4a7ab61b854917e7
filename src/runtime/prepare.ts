import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import { createClock } from '../lib/clock.ts'
import { notFound } from '../lib/errors.ts'
import { secretsOf } from '../resources/agents/secrets.ts'
import { asText, unpackReturn } from '../resources/messages/packed.ts'
import type { StoredMessage } from '../resources/messages/table.ts'
import { catalogOf } from '../resources/models/handles.ts'
import type { LanguageModels } from '../resources/models/language.ts'
import { pendingRequest } from './approvals.ts'
import type { OwnedRun } from './commit.ts'
import { withGroupTool } from './groups/group-tool.ts'
import type { RunRequest } from './request.ts'
import { inputRow } from './rows.ts'
import { compileThread, hasCurrentPrompt, loadThread } from './thread.ts'
import { checkTokenData } from './token-turns.ts'
import { type PastCall, wasBlocked } from './tool-rules.ts'
import type { Start, Turn } from './turn.ts'
import { noUsage } from './usage.ts'

/** The configuration of the model that a request names. 404 for a handle that names no model. */
export async function overriding(scope: Scope, handle: string) {
  const catalog = await catalogOf(scope, { llm: [handle] })
  try {
    return catalog.llm(handle)
  } catch {
    throw notFound('model', handle)
  }
}

/** The rows that a run has stored before its server was gone, also those that a compaction took out of the context. */
const earlierRows = async (scope: Scope, { id, fence }: OwnedRun): Promise<StoredMessage[]> =>
  fence <= 1
    ? []
    : scope.query<StoredMessage>(sql`
        select * from messages where organization_id = ${scope.organizationId} and run_id = ${id} and role <> 'summary'
        order by created_at, id`)

/** Whether the caller's messages are among the rows of a run: it may also have stored answers to approvals, and repairs. */
const hasStored = (rows: readonly StoredMessage[], { messages }: RunRequest): boolean =>
  rows.some(({ role, otid }) => role !== 'approval' && messages.some((message) => message.otid === otid))

/** The calls since the last message of the caller, for a run that goes on: after an approval, or the end of its server. */
function pastCalls(rows: readonly StoredMessage[]): PastCall[] {
  const turn = rows.slice(
    rows.findLastIndex(({ role, otid }) => (role === 'user' || role === 'system') && otid !== null) + 1,
  )
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

/** Loads all that a run needs. 404 for an agent that is gone, or a model that the request names wrongly. */
export async function prepareTurn(
  { scope, run, request, log, signal, startedAt, tools, telemetry, begin, changed }: Start,
  models: LanguageModels,
): Promise<Turn> {
  const [thread, connections] = await Promise.all([loadThread(scope, run), models.connections(scope)])
  const { memory, system, rows, count, shortenedTo, pendingUntil } = thread
  const agent = withGroupTool(thread.agent, request.group)
  const config = request.override_model ? await overriding(scope, request.override_model) : agent.row.llm_config
  const isStale = !hasCurrentPrompt(thread)
  const compiled = isStale ? await compileThread(scope, run, thread, rows.length) : asText(system!.content)
  const earlier = await earlierRows(scope, run)
  const hasInputs = hasStored(earlier, request)
  const isAnswer = request.approval !== undefined
  const goesOn = earlier.length > 0 || isAnswer
  const evicted = earlier.filter((one) => !rows.some(({ id }) => id === one.id))
  const model = await models.of(scope, config, { connections })
  checkTokenData(model, request)
  return {
    scope,
    run,
    request,
    agent,
    memory,
    refused: new Map(),
    models,
    clock: createClock(agent.row.timezone ?? 'UTC'),
    model,
    config,
    system: {
      id: system?.id ?? '',
      text: compiled,
      changed: system !== undefined && isStale,
    },
    rows: agent.row.message_buffer_autoclear && !goesOn && !pendingRequest(rows) ? [] : rows,
    count,
    shortenedTo,
    pendingUntil,
    inputs: hasInputs ? [] : request.messages.map((message) => inputRow({ run }, message)),
    calls: hasInputs || isAnswer ? pastCalls([...evicted, ...rows]) : [],
    usage: noUsage(),
    secrets: agent.secret_names.length > 0 ? Object.values(await secretsOf(scope, run.agentId)) : [],
    tokens: { logprobs: [], turns: [] },
    outcomes: new Map(),
    failedCalls: [],
    log,
    signal,
    startedAt,
    tools,
    telemetry,
    begin,
    changed,
  }
}
