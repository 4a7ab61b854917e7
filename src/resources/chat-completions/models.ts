import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import type { ChatModel, ListChatModels } from './schema.ts'

interface Row {
  id: string
  name: string
  created_at: string
}

const modelOf = (scope: Scope, { id, name, created_at }: Row): ChatModel => ({
  id,
  object: 'model',
  created: Math.floor(Date.parse(created_at) / 1000),
  owned_by: scope.organizationId,
  name,
})

/** The agents of the organization as models, newest first. Hidden ones are left out. */
export async function listChatModels(scope: Scope, { limit = 200, after }: ListChatModels) {
  const rows = await scope.read<Row>(sql`
    select id, name, created_at from agents where organization_id = ${scope.organizationId} and hidden is not true
      ${after === undefined ? sql`` : sql`and id < ${after}`}
    order by id desc limit ${limit + 1}`)
  const data = rows.slice(0, limit).map((row) => modelOf(scope, row))
  return { object: 'list' as const, data, has_more: rows.length > limit }
}

/** An agent as a model. 404. */
export async function findChatModel(scope: Scope, id: string): Promise<ChatModel> {
  const [row] = await scope.read<Row>(sql`
    select id, name, created_at from agents where organization_id = ${scope.organizationId} and id = ${id}`)
  if (!row) throw notFound('agent', id)
  return modelOf(scope, row)
}
