import { sql } from 'kysely'
import { escapeLike } from '../../db/escape-like.ts'
import type { Link } from '../../db/link.ts'
import type { Scope } from '../../db/scope.ts'
import type { Filter } from '../../db/select.ts'
import { ApiError } from '../../lib/errors.ts'
import { blocks } from '../blocks/schema.ts'
import {
  type CreateIdentity,
  type IdentityFilters,
  identities,
  type ListBlocksOfIdentity,
  type ListIdentities,
  type UpdateIdentity,
} from './schema.ts'

/** Seen from an identity its attachments have no order of their own: those that stay keep their place at the agent. */
const of = (table: string, targetColumn: string): Link => ({
  table,
  owner: identities,
  ownerColumn: 'identity_id',
  targetColumn,
  keepsRows: true,
})

/** The links between identities and the resources they are attached to. */
const identityAgents = of('agents_identities', 'agent_id')
const identityBlocks = of('blocks_identities', 'block_id')

/** Which identities: one filter for lists and counts. */
const matching =
  ({ name, identifier_key, identity_type, project_id }: IdentityFilters): Filter<'identities'> =>
  (query) =>
    query
      .$if(name !== undefined, (q) => q.where('identities.name', 'ilike', `%${escapeLike(name!)}%`))
      .$if(identifier_key !== undefined, (q) => q.where('identities.identifier_key', '=', identifier_key!))
      .$if(identity_type !== undefined, (q) => q.where('identities.identity_type', '=', identity_type!))
      .$if(project_id !== undefined, (q) => q.where('identities.project_id', '=', project_id!))

/** Identities of the organization, newest first. */
export const listIdentities = (scope: Scope, query: ListIdentities) => scope.list(identities, query, matching(query))

/** The number of identities that the filters keep. */
export const countIdentities = (scope: Scope, filters: IdentityFilters) => scope.count(identities, matching(filters))

/** Makes an identity and attaches it. 404 for an agent or block the organization doesn't have, 409 for a taken key. */
export function createIdentity(scope: Scope, { agent_ids, block_ids, ...columns }: CreateIdentity) {
  return scope.transaction(async (inner) => {
    const { id } = await inner.insert(identities, columns, [
      [identityAgents, agent_ids ?? []],
      [identityBlocks, block_ids ?? []],
    ])
    return inner.retrieve(identities, id)
  })
}

/**
 * Changes the fields that the body names; `agent_ids`, `block_ids` and `properties` are replaced whole. 409 for a taken
 * key.
 */
export function updateIdentity(scope: Scope, id: string, { agent_ids, block_ids, ...columns }: UpdateIdentity) {
  return scope.locking(identities, id, async (inner) => {
    const links = [
      ...(agent_ids ? await inner.setLinks(identityAgents, id, agent_ids) : []),
      ...(block_ids ? await inner.setLinks(identityBlocks, id, block_ids) : []),
    ]
    await inner.update(identities, id, columns, links)
    return inner.retrieve(identities, id)
  })
}

/**
 * Changes an identity as clients of the Letta API expect: `agent_ids` and `block_ids` are attached besides those there are, and
 * `properties` are set by their keys beside the others.
 */
export function extendIdentity(scope: Scope, id: string, change: UpdateIdentity) {
  const { agent_ids, block_ids, properties } = change
  return scope.locking(identities, id, async (inner) => {
    const attached = async (link: Link, ids: string[]) => [...(await inner.linkedIds(link, id)), ...ids]
    const had = properties ? ((await inner.get(identities, id)).properties ?? []) : []
    const merged = [...had, ...(properties ?? [])].map((property) => [property.key, property] as const)
    return updateIdentity(inner, id, {
      ...change,
      ...(agent_ids && { agent_ids: await attached(identityAgents, agent_ids) }),
      ...(block_ids && { block_ids: await attached(identityBlocks, block_ids) }),
      ...(properties && { properties: [...new Map(merged).values()] }),
    })
  })
}

/** The identity that has this key in this project, or outside of any. */
async function idOf(scope: Scope, { identifier_key, project_id }: CreateIdentity): Promise<string | undefined> {
  const [row] = await scope.query<{ id: string }>(sql`
    select id from identities where organization_id = ${scope.organizationId}
      and identifier_key = ${identifier_key} and project_id is not distinct from ${project_id ?? null}`)
  return row?.id
}

/** Makes the identity of this key and project, or changes the existing one, by the scope that `scopeFor` returns for its id. */
export async function upsertIdentity(scope: Scope, body: CreateIdentity, scopeFor: (id: string) => Promise<Scope>) {
  const { agent_ids, block_ids, ...columns } = body
  const change: UpdateIdentity = { ...columns, ...(agent_ids && { agent_ids }), ...(block_ids && { block_ids }) }
  const there = await idOf(scope, body)
  if (there !== undefined) return updateIdentity(await scopeFor(there), there, change)
  try {
    return await createIdentity(scope, body)
  } catch (error) {
    // Another caller may have made it meanwhile.
    const made = error instanceof ApiError && error.code === 'conflict' ? await idOf(scope, body) : undefined
    if (made === undefined) throw error
    return updateIdentity(await scopeFor(made), made, change)
  }
}

/** The blocks an identity is attached to, newest first. 404 for an identity the organization doesn't have. */
export async function listBlocksOfIdentity(scope: Scope, id: string, { order, ...page }: ListBlocksOfIdentity) {
  await scope.exists('identities', id)
  return scope.list(blocks, { order: order ?? 'desc', ...page }, (query) =>
    query.where(sql<boolean>`exists (select from blocks_identities as link
      where link.organization_id = ${scope.organizationId} and link.block_id = blocks.id and link.identity_id = ${id})`),
  )
}
