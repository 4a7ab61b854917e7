import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { conflict, notFound } from '../../lib/errors.ts'
import { instantOf, newId } from '../../lib/ids.ts'
import { enqueueSyncOfAll } from '../passages/enqueue-sync.ts'
import { addBuiltinTools } from '../tools/builtin.ts'
import { type IdPage, listById, requireOperator, visible } from './access.ts'
import type { CreateOrganization, Organization, UpdateOrganization } from './schema.ts'

const ORGANIZATION = sql`id, name, created_at, privileged_tools`

/** Organizations, oldest first. */
export const listOrganizations = (scope: Scope, query: IdPage) =>
  listById<Organization>(scope, query, sql`select ${ORGANIZATION} from organizations where ${visible(scope, sql`id`)}`)

/** Makes an organization, with its built-in tools and the MCP servers of the settings. 403 unless the caller operates the server. */
export async function createOrganization(
  scope: Scope,
  { name, privileged_tools }: CreateOrganization,
): Promise<Organization> {
  requireOperator(scope, 'make organizations')
  return scope.transaction(async (tx) => {
    const id = newId('org')
    const [organization] = await tx.query<Organization>(sql`
      insert into organizations (id, name, privileged_tools, created_at)
      values (${id}, ${name}, ${privileged_tools ?? false}, ${instantOf(id)!.toISOString()})
      returning ${ORGANIZATION}`)
    await addBuiltinTools(tx.asOrganization(id))
    await tx.asOrganization(id).enqueue('sync_programs', {}, id)
    return organization!
  })
}

/** Changes the name or the rights of an organization. 404; 403 for a change of rights unless the caller operates the server. */
export async function updateOrganization(scope: Scope, id: string, body: UpdateOrganization): Promise<Organization> {
  if (body.privileged_tools !== undefined) requireOperator(scope, 'set privileged_tools')
  const [organization] = await scope.query<Organization>(sql`
    update organizations set name = coalesce(${body.name ?? null}, name),
      privileged_tools = coalesce(${body.privileged_tools ?? null}, privileged_tools)
    where id = ${id} and ${visible(scope, sql`id`)} returning ${ORGANIZATION}`)
  if (!organization) throw notFound('organization', id)
  return organization
}

/** Deletes an organization with all its rows and their history. 404; 409 for the one that operates the server. */
export async function deleteOrganization(scope: Scope, id: string): Promise<Organization> {
  return scope.transaction(async (tx) => {
    const [found] = await tx.query(
      sql<Organization & { is_operator: boolean }>`
        select ${ORGANIZATION}, is_operator from organizations where id = ${id} and ${visible(scope, sql`id`)} for update`,
    )
    if (!found) throw notFound('organization', id)
    const { is_operator, ...organization } = found
    if (is_operator) throw conflict('The organization that runs this server cannot be deleted.')
    await tx.query(sql`delete from organizations where id = ${id}`)
    await tx.query(sql`delete from revisions where organization_id = ${id}`)
    await enqueueSyncOfAll(tx.asOrganization(id))
    return organization
  })
}
