import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Scope } from '../db/scope.ts'
import type { Clock } from '../lib/clock.ts'
import { instantOf, newId } from '../lib/ids.ts'
import type { TokenTurns } from '../llm/token-data.ts'
import type { AgentWithRelations } from '../resources/agents/load.ts'
import type { StopReason, UsageStatistics } from '../resources/messages/schema.ts'
import type { Role, StoredMessage, TokenCount } from '../resources/messages/table.ts'
import type { LanguageModels } from '../resources/models/language.ts'
import type { LlmConfig } from '../resources/models/schema.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import type { OwnedRun, RunEnd, StepColumns, TraceColumns } from './commit.ts'
import type { EventLog } from './event-log.ts'
import type { Memory } from './memory.ts'
import type { RunRequest } from './request.ts'
import type { PastCall } from './tool-rules.ts'
import type { ToolResult, ToolServices } from './tools/tool.ts'

/** A stored run that waits for its thread. */
export interface QueuedRun {
  id: string
  threadId: string
}

/** A call of a model that failed or was cancelled: its step, and the request with the error. */
export interface FailedCall {
  step: StepColumns
  trace: TraceColumns
}

/** A run that this server carries out. */
export interface Turn {
  scope: Scope
  run: OwnedRun
  request: RunRequest
  agent: AgentWithRelations
  memory: Memory
  /** Why the changes of calls were refused, by the id of the call. */
  refused: Map<string, string>
  models: LanguageModels
  /** The clock of the agent's time zone. */
  clock: Clock
  model: LanguageModelV4
  config: LlmConfig
  /** The row of the system prompt, and its text for this run. */
  system: { id: string; text: string; changed: boolean }
  /** The messages in context behind the system prompt. */
  rows: StoredMessage[]
  /** The tokens of the latest prompt. */
  count: TokenCount | undefined
  /** The last row whose tool returns the model sees shortened. */
  shortenedTo: string | undefined
  /** The instant from which the request that waits is denied. */
  pendingUntil: string | undefined
  /** Messages of the caller that the next commit stores. */
  inputs: StoredMessage[]
  /** The calls of this run, for the tool rules. */
  calls: PastCall[]
  usage: UsageStatistics
  /** The values of the agent's secrets, which no trace shows. */
  secrets: readonly string[]
  /** Calls of the model without an answer that counts, which the next commit stores as steps. */
  failedCalls: FailedCall[]
  /** The results of calls outside of the commit, which run once however often the others do. */
  outcomes: Map<string, ToolResult>
  log: EventLog
  tools: ToolServices
  /** Aborted when the run is cancelled, or this server gives it up. */
  signal: AbortSignal
  startedAt: number
  telemetry: Telemetry
  /** Carries out a stored run that waits for another thread, once that thread is free. */
  begin(run: QueuedRun): void
  /** Resolves when another run changes, after a second, or with the signal. */
  changed(runId: string): Promise<void>
  /** The tokens of the answers, for a caller that asks for them. */
  tokens: TokenTurns
  firstTokenMs?: number | undefined
}

/** A run to be carried out. */
export interface Start
  extends Pick<
    Turn,
    'scope' | 'run' | 'request' | 'log' | 'signal' | 'startedAt' | 'tools' | 'telemetry' | 'begin' | 'changed'
  > {
  /** The number of servers that have carried the run out, with this one. */
  attempts: number
}

/** Why a run ends behind a step; undefined: it goes on. */
export type StepEnd = StopReason | undefined

/** The end of a run that has done its work. */
export const endOf = ({ startedAt, firstTokenMs, usage }: Turn, stopReason: StopReason): RunEnd => ({
  status: 'completed',
  stopReason,
  startedAt,
  firstTokenMs,
  usage,
})

/** The roles of the rows that an agent itself writes. */
const ANSWERING: readonly Role[] = ['assistant', 'approval', 'tool']

/** The agent's name on the messages of a group. */
export const speakerOf = ({ run, agent }: Pick<Turn, 'run' | 'agent'>) =>
  run.groupId === undefined ? undefined : { name: agent.row.name, sender_id: run.agentId }

/** A new row of a run's thread. Columns that it doesn't name are null. */
export function newRow(
  { run }: Pick<Turn, 'run'>,
  fields: Pick<StoredMessage, 'role'> & Partial<StoredMessage>,
): StoredMessage {
  const id = fields.id ?? newId('message')
  return {
    agent_id: run.agentId,
    conversation_id: run.conversationId ?? null,
    run_id: run.id,
    step_id: null,
    content: [],
    name: null,
    otid: null,
    sender_id: run.groupId !== undefined && ANSWERING.includes(fields.role) ? run.agentId : null,
    group_id: run.groupId ?? null,
    model: null,
    tool_calls: null,
    tool_call_id: null,
    tool_returns: null,
    approval_request_id: null,
    approve: null,
    denial_reason: null,
    approvals: null,
    model_parts: null,
    ...fields,
    id,
    created_at: instantOf(id)!.toISOString(),
  }
}

/** The ids in context, with these rows at the end. */
export const contextWith = ({ system, rows }: Turn, added: readonly StoredMessage[]): string[] => [
  system.id,
  ...rows.map(({ id }) => id),
  ...added.map(({ id }) => id),
]
