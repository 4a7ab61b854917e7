import { type RawBuilder, sql } from 'kysely'
import { NEXT, type PageOf } from '../../db/marks.ts'
import type { Scope } from '../../db/scope.ts'
import { ApiError, conflict, notFound } from '../../lib/errors.ts'
import { instantOf, newId } from '../../lib/ids.ts'
import { enqueueSyncOfAll } from '../passages/enqueue-sync.ts'
import { addBuiltinTools } from '../tools/builtin.ts'
import type { CreateOrganization, CreateUser, Organization, UpdateOrganization, UpdateUser, User } from './schema.ts'

/**
 * Organizations and users. The organization made at first start operates the server: its admins see and change every
 * organization. The admins of any other see and change their own alone; the rest is a 404 to them.
 */

const ORGANIZATION = sql`id, name, created_at, privileged_tools`
const USER = sql`id, organization_id, name, created_at, updated_at, is_deleted`

/** The organizations a scope may see: all of them, or its own. */
const visible = (scope: Scope, column: RawBuilder<unknown>) =>
  scope.operator ? sql`true` : sql`${column} = ${scope.organizationId}`

function requireOperator(scope: Scope): void {
  if (!scope.operator) throw new ApiError('forbidden', 'Only the organization that runs this server can do this.')
}

/** One page in the order of the ids, which is that of their making. */
async function page<Row extends { id: string }>(
  scope: Scope,
  { after, limit = 50 }: { after?: string | undefined; limit?: number | undefined },
  select: RawBuilder<unknown>,
): Promise<PageOf<Row>> {
  const rows: PageOf<Row> = await scope.query<Row>(
    sql<Row>`${select} and id > ${after ?? ''} order by id limit ${limit + 1}`,
  )
  if (rows.length > limit) {
    rows.pop()
    rows[NEXT] = { after: rows.at(-1)!.id }
  }
  return rows
}

/** Organizations, oldest first. */
export const listOrganizations = (scope: Scope, query: { after?: string | undefined; limit?: number | undefined }) =>
  page<Organization>(scope, query, sql`select ${ORGANIZATION} from organizations where ${visible(scope, sql`id`)}`)

/** Makes an organization, with its built-in tools. 403 unless the caller operates the server. */
export async function createOrganization(
  scope: Scope,
  { name, privileged_tools }: CreateOrganization,
): Promise<Organization> {
  requireOperator(scope)
  return scope.transaction(async (tx) => {
    const id = newId('org')
    const [organization] = await tx.query<Organization>(sql<Organization>`
      insert into organizations (id, name, privileged_tools, created_at)
      values (${id}, ${name}, ${privileged_tools ?? false}, ${instantOf(id)!.toISOString()})
      returning ${ORGANIZATION}`)
    await addBuiltinTools(tx.asOrganization(id))
    return organization!
  })
}

/** Changes an organization. */
export async function updateOrganization(scope: Scope, id: string, body: UpdateOrganization): Promise<Organization> {
  const [organization] = await scope.query<Organization>(sql<Organization>`
    update organizations set name = coalesce(${body.name ?? null}, name),
      privileged_tools = coalesce(${body.privileged_tools ?? null}, privileged_tools)
    where id = ${id} and ${visible(scope, sql`id`)} returning ${ORGANIZATION}`)
  if (!organization) throw notFound('organization', id)
  return organization
}

/** Deletes an organization with everything it owns, its history too. 409 for the one that operates the server. */
export async function deleteOrganization(scope: Scope, id: string): Promise<Organization> {
  return scope.transaction(async (tx) => {
    const [organization] = await tx.query<Organization & { is_operator: boolean }>(
      sql<Organization & { is_operator: boolean }>`
        select ${ORGANIZATION}, is_operator from organizations where id = ${id} and ${visible(scope, sql`id`)} for update`,
    )
    if (!organization) throw notFound('organization', id)
    const { is_operator, ...answer } = organization
    if (is_operator) throw conflict('The organization that runs this server cannot be deleted.')
    await tx.query(sql`delete from organizations where id = ${id}`)
    await tx.query(sql`delete from revisions where organization_id = ${id}`)
    await enqueueSyncOfAll(tx.asOrganization(id))
    return answer
  })
}

/** Users, oldest first. */
export const listUsers = (scope: Scope, query: { after?: string | undefined; limit?: number | undefined }) =>
  page<User>(scope, query, sql`select ${USER} from users where ${visible(scope, sql`organization_id`)}`)

/** Makes a user. 404 for an organization that isn't there or isn't the caller's to change. */
export async function createUser(scope: Scope, { name, organization_id }: CreateUser): Promise<User> {
  const id = newId('user')
  const now = instantOf(id)!.toISOString()
  const [user] = await scope.query<User>(sql<User>`
    insert into users (id, organization_id, name, created_at, updated_at)
    select ${id}, o.id, ${name}, ${now}, ${now} from organizations o
    where o.id = ${organization_id} and ${visible(scope, sql`o.id`)} returning ${USER}`)
  if (!user) throw notFound('organization', organization_id)
  return user
}

/** Renames a user. Its organization can't be changed: its keys belong there. */
export async function updateUser(scope: Scope, { id, name, organization_id }: UpdateUser): Promise<User> {
  const home = await organizationOfUser(scope, id)
  if (!home) throw notFound('user', id)
  if (organization_id !== undefined && organization_id !== home) {
    throw conflict('A user cannot move to another organization: make one there.')
  }
  const [user] = await scope.query<User>(sql<User>`
    update users set name = coalesce(${name ?? null}, name),
      updated_at = case when coalesce(${name ?? null}, name) = name then updated_at else now() end
    where id = ${id} returning ${USER}`)
  if (!user) throw notFound('user', id)
  return user
}

/** Deletes a user and the user's keys. 409 for the caller's own. */
export async function deleteUser(scope: Scope, id: string): Promise<User> {
  if (id === scope.userId) throw conflict('A key cannot delete its own user.')
  const [user] = await scope.query<User>(sql<User>`
    delete from users where id = ${id} and ${visible(scope, sql`organization_id`)} returning ${USER}`)
  if (!user) throw notFound('user', id)
  return user
}

/** The organization of a user the scope may act for, or undefined. */
export async function organizationOfUser(scope: Scope, userId: string): Promise<string | undefined> {
  const [user] = await scope.query<{ organization_id: string }>(sql<{ organization_id: string }>`
    select organization_id from users where id = ${userId} and ${visible(scope, sql`organization_id`)}`)
  return user?.organization_id
}
