import { sql } from 'kysely'
import { insertRecords } from '../db/records.ts'
import type { Scope } from '../db/scope.ts'
import { notFound } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
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

/**
 * Compiles the system prompt of a thread anew, and returns it. `dry_run` stores nothing; without `update_timestamp` the prompt
 * keeps its time. 404 for a thread without a system prompt.
 */
export async function recompileThread(
  scope: Scope,
  target: Target,
  { dry_run = false, update_timestamp = false }: Recompile,
): Promise<string> {
  const thread = await loadThread(scope, target)
  const { system } = thread
  if (!system) throw notFound('message', 'of the system prompt')
  const [, compiledAt] = COMPILED_AT.exec(asText(system.content)) ?? []
  const text = await compileThread(scope, target, thread, thread.rows.length, update_timestamp ? undefined : compiledAt)
  if (!dry_run) await storePrompt(scope, system.id, text)
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
  const id = thread.system?.id ?? newId('message')
  await setThread(tx, target.threadId, {
    message_ids: [id, ...first.map((message) => message.id)],
    pending_approval: null,
  })
  await insertMessages(tx, target.agentId, first)
  if (thread.system) await storePrompt(tx, id, text)
  else {
    const row = newRow({ run: noRun(target) }, { id, role: 'system', content: [{ type: 'text', text }], run_id: null })
    await insertRecords(tx, 'messages', [row])
  }
}
