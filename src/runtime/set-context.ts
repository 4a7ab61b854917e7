import { sql } from 'kysely'
import type { Scope } from '../db/scope.ts'
import { conflict } from '../lib/errors.ts'
import type { StoredMessage, TokenCount } from '../resources/messages/table.ts'
import { insertRows, type StepColumns, stepTables, type TraceColumns } from './commit.ts'

/** A context that takes the place of another. */
export interface NewContext {
  threadId: string
  /** The ids in context until now. */
  before: readonly string[]
  after: readonly string[]
  added?: readonly StoredMessage[]
  count?: TokenCount | undefined
  /** The system prompt, compiled anew. */
  system: { id: string; text: string }
  /** The calls of models that the context cost. */
  steps?: readonly StepColumns[]
  traces?: readonly TraceColumns[]
}

/** Replaces the context of a thread between two runs. 409 while a run is carried out, and where the context has changed. */
export async function setContext(scope: Scope, context: NewContext) {
  const { threadId, before, after, added = [], count, system, steps = [], traces = [] } = context
  const { organizationId } = scope
  const tables = [
    ...(added.length > 0 ? [insertRows('added', 'messages', organizationId, added)] : []),
    ...stepTables(organizationId, steps, traces),
  ]
  const content = JSON.stringify([{ type: 'text', text: system.text }])
  const changed = await scope.query(sql`
    with run as (
      update threads set message_ids = ${JSON.stringify(after)}::json, token_count = ${count ? JSON.stringify(count) : null}::json
      where organization_id = ${organizationId} and id = ${threadId} and run_id is null
        and message_ids::jsonb = ${JSON.stringify(before)}::jsonb
      returning id
    ), prompt as (
      update messages set content = ${content}::json
      where organization_id = ${organizationId} and id = ${system.id} and exists (select from run)
    ) ${tables.length > 0 ? sql`, ${sql.join(tables)}` : sql``}
    select id from run`)
  if (changed.length === 0) {
    throw conflict('The agent is at work: its messages in context change when the run has ended, or is cancelled.')
  }
}
