import { sql } from 'kysely'
import { insertRecords } from '../db/records.ts'
import type { Scope } from '../db/scope.ts'
import { firstMessages } from '../resources/messages/first-messages.ts'
import { insertMessages, setThread } from '../resources/messages/insert.ts'
import { asText } from '../resources/messages/packed.ts'
import type { Target } from '../resources/messages/table.ts'
import { compileThread, loadThread } from './thread.ts'
import { newRow } from './turn.ts'
import { noRun } from './view.ts'

/** How a system prompt is compiled anew. */
export interface Recompile {
  dry_run?: boolean | undefined
  update_timestamp?: boolean | undefined
}

/** The time in a compiled prompt. */
const COMPILED_AT = /^- System prompt last recompiled: (.*)$/m

const storePrompt = (scope: Scope, id: string, text: string) =>
  scope.query(sql`update messages set content = ${JSON.stringify([{ type: 'text', text }])}::json
    where organization_id = ${scope.organizationId} and id = ${id} returning id`)

/** Stores the row of a first system prompt. Returns its id. */
async function insertPrompt(tx: Scope, target: Target, text: string): Promise<string> {
  const row = newRow({ run: noRun(target) }, { role: 'system', content: [{ type: 'text', text }], run_id: null })
  await insertRecords(tx, 'messages', [row])
  return row.id
}

/**
 * Compiles the system prompt of a thread anew, and returns it. `dry_run` stores nothing; without `update_timestamp` the prompt
 * keeps its time. A thread without a system prompt gets one. 409 for such a thread while a run is carried out.
 */
export async function recompileThread(
  scope: Scope,
  target: Target,
  { dry_run = false, update_timestamp = false }: Recompile,
): Promise<string> {
  const thread = await loadThread(scope, target)
  const { system } = thread
  const [, compiledAt] = COMPILED_AT.exec(asText(system?.content ?? [])) ?? []
  const text = await compileThread(scope, target, thread, thread.rows.length, update_timestamp ? undefined : compiledAt)
  if (dry_run) return text
  if (system) await storePrompt(scope, system.id, text)
  else {
    await scope.transaction(async (tx) => {
      const id = await insertPrompt(tx, target, text)
      await setThread(tx, target.threadId, { message_ids: [id, ...thread.rows.map((row) => row.id)] })
    })
  }
  return text
}

/**
 * Empties the context of an agent's own thread but for the system prompt, which is compiled anew. `greeted`: the first messages
 * of a new agent follow the prompt. Nothing is deleted: lists show all messages. Call it in a transaction. 409 while a run is
 * carried out.
 */
export async function resetThread(tx: Scope, target: Target, greeted: boolean): Promise<void> {
  const thread = await loadThread(tx, target)
  const { agent_type, timezone } = thread.agent.row
  const first = greeted ? firstMessages(agent_type, timezone ?? 'UTC') : []
  const text = await compileThread(tx, target, thread, first.length)
  const id = thread.system?.id ?? (await insertPrompt(tx, target, text))
  await setThread(tx, target.threadId, {
    message_ids: [id, ...first.map((message) => message.id)],
    pending_approval: null,
  })
  await insertMessages(tx, target.agentId, first)
  if (thread.system) await storePrompt(tx, id, text)
}
