import type { FastifyBaseLogger } from 'fastify'
import { newId } from '../lib/ids.ts'
import { asText } from '../resources/messages/packed.ts'
import type { StoredMessage, StoredReturn } from '../resources/messages/table.ts'
import { pendingRequest } from './approvals.ts'
import { MISSING } from './history.ts'
import { returnRow } from './rows.ts'
import { store } from './store-step.ts'
import { contextWith, newRow, type Turn } from './turn.ts'

type Calls = Map<string, string>

/** A return for each call without one. */
function closing(turn: Turn, open: Calls, stepId: string | null): StoredMessage[] {
  const calls = [...open].map(([id, name]) => ({ id, name }))
  open.clear()
  const results = calls.map(() => ({ status: 'error' as const, output: MISSING }))
  return calls.length > 0 ? [returnRow(turn, newId('message'), stepId, calls, results)] : []
}

/** The rows in place of a row of returns: returns of calls that aren't there become texts. */
function matched(turn: Turn, row: StoredMessage, open: Calls): StoredMessage[] {
  const strays: StoredReturn[] = []
  const kept = (row.tool_returns ?? []).filter((one) => open.delete(one.tool_call_id) || !strays.push(one))
  if (strays.length === 0) return [row]
  const quoted = strays.map(({ func_response }) => ({ type: 'text', text: `[tool return] ${asText(func_response)}` }))
  return [
    ...(kept.length > 0 ? [newRow(turn, { ...row, id: newId('message'), tool_returns: kept })] : []),
    newRow(turn, { role: 'user', step_id: row.step_id, content: quoted }),
  ]
}

/** The rows of a history in which each call has one return behind it, or waits for an approval at the end. */
function repairedRows(turn: Turn): StoredMessage[] {
  const repaired: StoredMessage[] = []
  const open: Calls = new Map()
  let stepId: string | null = null
  for (const row of turn.rows) {
    const calls = row.tool_calls ?? []
    const isOfModel = row.role === 'assistant' || calls.length > 0
    const isResponse = row.role === 'approval' && calls.length === 0
    // The calls of one step may lie in two rows.
    const goesOn = isOfModel && row.step_id === stepId
    if (row.role === 'tool') repaired.push(...matched(turn, row, open))
    else repaired.push(...(goesOn || isResponse ? [] : closing(turn, open, stepId)), row)
    for (const call of calls) open.set(call.id, call.function.name)
    if (isOfModel) stepId = row.step_id
  }
  return pendingRequest(turn.rows) ? repaired : [...repaired, ...closing(turn, open, stepId)]
}

/**
 * Stores what a run's history lacks, once and with a line in the log: a return for each call, and a system prompt. Providers
 * refuse other histories, which imports and failures of disks leave behind. Throws a LostRunError.
 */
export async function repairHistory(turn: Turn, logger: FastifyBaseLogger): Promise<void> {
  const { run, system } = turn
  const rows = repairedRows(turn)
  const added = rows.filter((row) => !turn.rows.includes(row))
  if (system.id === '') {
    const prompt = newRow(turn, { role: 'system', content: [{ type: 'text', text: system.text }] })
    added.push(prompt)
    system.id = prompt.id
  }
  if (added.length === 0) return
  turn.rows = rows
  await store(turn, { messages: added, context: contextWith(turn, []) })
  logger.warn({ run: run.id, agent: run.agentId, messages: added.map(({ id }) => id) }, 'a history was repaired')
}
