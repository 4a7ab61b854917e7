import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Database } from '../../src/db/engine/database.ts'
import type { StoredMessage, ThreadRow } from '../../src/resources/messages/table.ts'

/** The stored state of an agent. */
export interface Stored {
  thread: Pick<ThreadRow, 'message_ids' | 'pending_approval' | 'run_id' | 'waiting'>
  /** All messages of the agent, by id. */
  messages: Map<string, StoredMessage>
  /** The messages in context, in their order. */
  context: StoredMessage[]
  steps: { id: string; status: string }[]
  runs: { id: string; status: string; request: { messages: { otid: string }[] } }[]
}

/** Reads what is stored of an agent, and of one of its threads. */
export async function readStored({ kysely }: Database, agent: string, thread: string): Promise<Stored> {
  const { rows } = await sql<{ thread: Stored['thread'] } & Record<'messages' | 'steps' | 'runs', never[]>>`select
    (select row_to_json(threads) from threads where id = ${thread}) as thread,
    (select coalesce(json_agg(messages order by id), '[]') from messages where agent_id = ${agent}) as messages,
    (select coalesce(json_agg(steps order by id), '[]') from steps where agent_id = ${agent}) as steps,
    (select coalesce(json_agg(runs order by id), '[]') from runs where agent_id = ${agent}) as runs`.execute(kysely)
  const [stored] = rows
  const messages = new Map((stored!.messages as StoredMessage[]).map((row) => [row.id, row]))
  const context = stored!.thread.message_ids.map((id) => messages.get(id)!)
  return { ...stored!, messages, context }
}

const callsOf = ({ tool_calls }: StoredMessage) => (tool_calls ?? []).map(({ id }) => id)
const isAsking = ({ role, tool_calls }: StoredMessage) =>
  (role === 'assistant' || role === 'approval') && (tool_calls?.length ?? 0) > 0

/** Expects one return directly behind each call, and a call before each return. Returns the calls at the end that wait. */
function checkCalls(context: readonly StoredMessage[]): string[] {
  let open: string[] = []
  for (const row of context) {
    if (isAsking(row)) open.push(...callsOf(row))
    else if (row.role === 'tool') {
      expect(row.tool_returns!.map(({ tool_call_id }) => tool_call_id).toSorted()).toEqual(open.toSorted())
      open = []
    } else if (row.role !== 'approval') expect([row.role, open]).toEqual([row.role, []])
  }
  return open
}

/** Expects a row to hold what every provider takes back. */
function checkRow({ role, content, tool_calls, tool_returns }: StoredMessage): void {
  for (const { function: called } of tool_calls ?? []) {
    expect(called.name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(JSON.parse(called.arguments)).toEqual(expect.objectContaining({}))
  }
  if (role === 'user' || role === 'summary') expect(content).not.toEqual([])
  if (role === 'assistant') expect(content.length + (tool_calls?.length ?? 0)).toBeGreaterThan(0)
  if (role === 'tool') expect(tool_returns).not.toEqual([])
  for (const { type, text } of content) if (type === 'text') expect(text).not.toBe('')
}

/** Expects that rows are those of steps that succeeded, and that no run is at work. */
function checkSteps({ messages, steps, runs, thread }: Stored): void {
  const succeeded = new Set(steps.filter(({ status }) => status === 'success').map(({ id }) => id))
  const strays = [...messages.values()].filter(({ step_id }) => step_id !== null && !succeeded.has(step_id))
  expect(strays).toEqual([])
  expect(steps.filter(({ status }) => status === 'pending')).toEqual([])
  expect(runs.filter(({ status }) => status === 'running' || status === 'created')).toEqual([])
  expect([thread.run_id, thread.waiting]).toEqual([null, 0])
}

/** Expects lists of messages, which go by time, to have the order of the context, and no message of a caller to be lost. */
function checkOrder({ context, messages, runs }: Stored): void {
  const ids = context.filter(({ role }) => role !== 'summary').map(({ id }) => id)
  expect(ids).toEqual(ids.toSorted())
  const stored = new Set([...messages.values()].map(({ otid }) => otid))
  const sent = runs.flatMap(({ status, request }) => (status === 'completed' ? request.messages : []))
  expect(sent.filter(({ otid }) => !stored.has(otid))).toEqual([])
}

/** Expects the invariants of a history to hold over what is stored while no run is at work. */
export function checkStored(stored: Stored): void {
  const { context, messages, thread } = stored
  expect(context.every((row) => row !== undefined)).toBe(true)
  const waiting = checkCalls(context)
  const last = context.at(-1)
  const isRequest = last?.role === 'approval' && isAsking(last)
  expect(thread.pending_approval?.id ?? null).toEqual(isRequest ? last.id : null)
  expect(waiting.length > 0).toBe(isRequest)
  for (const row of messages.values()) checkRow(row)
  checkOrder(stored)
  checkSteps(stored)
}

/** The marks that tools of the agent have written to its memory, and those of the calls that succeeded. */
export function marksOf({ messages }: Stored, memory: string): { written: string[]; returned: string[] } {
  const rows = [...messages.values()]
  const succeeded = new Set(
    rows.flatMap(({ tool_returns }) =>
      (tool_returns ?? []).flatMap(({ tool_call_id, status }) => (status === 'success' ? tool_call_id : [])),
    ),
  )
  const returned = rows.flatMap(({ tool_calls }) =>
    (tool_calls ?? []).flatMap(({ id, function: { name, arguments: args } }) =>
      name === 'memory_insert' && succeeded.has(id) ? JSON.parse(args).new_string : [],
    ),
  )
  const written = memory.split('\n').filter((line) => line.startsWith('mark '))
  return { written: written.toSorted(), returned: returned.toSorted() }
}
