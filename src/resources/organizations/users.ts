import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { conflict, notFound } from '../../lib/errors.ts'
import { instantOf, newId } from '../../lib/ids.ts'
import { type IdPage, listById, visible } from './access.ts'
import type { CreateUser, UpdateUser, User } from './schema.ts'

const USER = sql`id, organization_id, name, created_at, updated_at, is_deleted`

/** Users, oldest first. */
export const listUsers = (scope: Scope, query: IdPage) =>
  listById<User>(scope, query, sql`select ${USER} from users where ${visible(scope, sql`organization_id`)}`)

/** Makes a user. 404 for an organization that doesn't exist or that the caller may not change. */
export async function createUser(scope: Scope, { name, organization_id }: CreateUser): Promise<User> {
  const id = newId('user')
  const now = instantOf(id)!.toISOString()
  const [user] = await scope.query<User>(sql`
    insert into users (id, organization_id, name, created_at, updated_at)
    select ${id}, ${organization_id}, ${name}, ${now}, ${now} from organizations
    where id = ${organization_id} and ${visible(scope, sql`id`)} returning ${USER}`)
  if (!user) throw notFound('organization', organization_id)
  return user
}

/** Renames a user. 404; 409 for another organization, as the keys of the user belong to the present one. */
export async function updateUser(scope: Scope, { id, name, organization_id }: UpdateUser): Promise<User> {
  const home = await organizationOfUser(scope, id)
  if (!home) throw notFound('user', id)
  if (organization_id !== undefined && organization_id !== home) {
    throw conflict('A user cannot move to another organization: make one there.')
  }
  const [user] = await scope.query<User>(sql`
    update users set name = coalesce(${name ?? null}, name),
      updated_at = case when coalesce(${name ?? null}, name) = name then updated_at
        else ${new Date().toISOString()}::timestamptz end
    where organization_id = ${home} and id = ${id} returning ${USER}`)
  if (!user) throw notFound('user', id)
  return user
}

/** Deletes a user and the user's keys. 404; 409 for the caller's own user. */
export async function deleteUser(scope: Scope, id: string): Promise<User> {
  if (id === scope.userId) throw conflict('A key cannot delete its own user.')
  const [user] = await scope.query<User>(sql`
    delete from users where id = ${id} and ${visible(scope, sql`organization_id`)} returning ${USER}`)
  if (!user) throw notFound('user', id)
  return user
}

/** The organization of a user the scope may act for, or undefined. */
export async function organizationOfUser(scope: Scope, userId: string): Promise<string | undefined> {
  const [user] = await scope.query<{ organization_id: string }>(sql`
    select organization_id from users where id = ${userId} and ${visible(scope, sql`organization_id`)}`)
  return user?.organization_id
}
