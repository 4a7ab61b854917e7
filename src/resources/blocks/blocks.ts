import { sql } from 'kysely'
import type { Link } from '../../db/link.ts'
import type { Versioned } from '../../db/marks.ts'
import type { Scope } from '../../db/scope.ts'
import type { Filter } from '../../db/select.ts'
import { checkAll, inBody, invalid, type ValidationIssue } from '../../lib/errors.ts'
import { hasIdentity, hasTags } from '../tags/filter.ts'
import {
  type Block,
  type BlockFilters,
  blocks,
  type CreateBlock,
  DEFAULT_LIMIT,
  type ListBlocks,
  type UpdateBlock,
} from './schema.ts'
import { withUsualDescription } from './usual-descriptions.ts'

/** The identities a block is linked to. */
const blockIdentities: Link = {
  table: 'blocks_identities',
  owner: blocks,
  ownerColumn: 'block_id',
  targetColumn: 'identity_id',
}

/** The filter that lists and counts share, without the parts of texts. */
function narrow(scope: Scope, filters: BlockFilters): Filter<'blocks'> {
  const { templates_only, name, tags, match_all_tags } = filters
  const exact = { label: filters.label, template_name: name, project_id: filters.project_id }
  const agents = sql<number>`(select count(*) from agents_blocks l
    where l.organization_id = ${scope.organizationId} and l.block_id = blocks.id)`
  return (query) => {
    let q = query
    // Only templates have a template_name: whoever asks for one means templates too.
    if (templates_only !== undefined || name === undefined) {
      q = q.where('blocks.is_template', templates_only ? 'is' : 'is not', true)
    }
    if (!filters.show_hidden_blocks) q = q.where('blocks.hidden', 'is not', true)
    for (const [column, value] of Object.entries(exact) as [keyof typeof exact, string | undefined][]) {
      if (value !== undefined) q = q.where(`blocks.${column}`, '=', value)
    }
    for (const condition of [
      ...hasTags(scope, 'blocks', tags, match_all_tags),
      ...hasIdentity(scope, 'blocks', filters),
    ]) {
      q = q.where(condition)
    }
    const { connected_to_agents_count_gt: more, connected_to_agents_count_lt: fewer } = filters
    if (more !== undefined) q = q.where(sql<boolean>`${agents} > ${more}`)
    if (fewer !== undefined) q = q.where(sql<boolean>`${agents} < ${fewer}`)
    const { connected_to_agents_count_eq: exactly } = filters
    if (exactly) q = q.where(sql<boolean>`${agents} = any(${exactly}::int[])`)
    return q
  }
}

/** The filter that lists and counts share. */
const matchingBlocks = (scope: Scope, filters: BlockFilters, signal: AbortSignal | undefined) => {
  const parts = { label: filters.label_search, description: filters.description_search, value: filters.value_search }
  return scope.containing('blocks', parts, narrow(scope, filters), signal)
}

/** Blocks of the organization, oldest first. Templates and hidden blocks only if the filters include them. */
export const listBlocks = async (
  scope: Scope,
  { limit, order, order_by, after, before, ...filters }: ListBlocks,
  signal?: AbortSignal,
) => scope.list(blocks, { limit, order, order_by, after, before }, await matchingBlocks(scope, filters, signal))

/** The number of blocks that the filters keep. */
export const countBlocks = async (scope: Scope, filters: BlockFilters, signal?: AbortSignal) =>
  scope.count(blocks, await matchingBlocks(scope, filters, signal))

/** The distinct tags, in their order. */
const tagSet = (tags: readonly string[] | null | undefined) => [...new Set(tags)]

/** The length of a text as the database counts it: in Unicode code points. */
export function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length++
  return length
}

const tooLong = (length: number, limit: number, field = 'value'): ValidationIssue =>
  inBody(field, `has ${length} characters, more than the limit of ${limit}`)

/** The row of a new block, with its defaults. 422 for a value longer than the limit; `field` is where it stands. */
export function newBlock(body: CreateBlock, field = 'value') {
  const { limit = DEFAULT_LIMIT } = body
  const length = lengthOf(body.value)
  if (limit !== null && length > limit) throw invalid(tooLong(length, limit, field))
  return {
    ...body,
    limit,
    metadata: body.metadata ?? {},
    read_only: body.read_only ?? false,
    is_template: body.is_template ?? false,
    preserve_on_migration: body.preserve_on_migration ?? false,
    tags: tagSet(body.tags),
  }
}

/** Makes a block. 422 for a value longer than the limit. */
export const createBlock = async (scope: Scope, body: CreateBlock) =>
  scope.insert(blocks, newBlock(withUsualDescription(scope, body)))

/** The rows of the blocks that the array `field` of a body describes. 422 with every value longer than its limit. */
export const newBlocks = (bodies: readonly CreateBlock[], field = 'memory_blocks') =>
  checkAll(...bodies.map((body, n) => () => newBlock(body, `${field}[${n}].value`)))

const WITHIN_LIMIT = 'blocks_value_within_limit'

/**
 * Changes the fields in the body, in one statement; `null` clears a field; without a limit a value may have any length.
 * 404; 409 when an agent would have two blocks of one label; 412; 422 when the value would be longer than the limit.
 */
export async function modifyBlock(scope: Scope, id: string, body: UpdateBlock): Promise<Block & Versioned> {
  const { limit, tags } = body
  try {
    return await scope.savepoint(() =>
      scope.update(blocks, id, { ...body, tags: tags === undefined ? undefined : tagSet(tags) }),
    )
  } catch (error) {
    if ((error as { constraint?: string }).constraint !== WITHIN_LIMIT) throw error
    const block = await scope.get(blocks, id)
    const length = lengthOf(body.value ?? block.value)
    const most = limit === undefined ? block.limit : limit
    // Another writer has just made room.
    if (most === undefined || most === null || length <= most) return modifyBlock(scope, id, body)
    throw invalid(tooLong(length, most, body.value === undefined ? 'limit' : 'value'))
  }
}

/** Links a block to an identity; one that is linked already stays as it is. 404 when either isn't there, 412. */
export const attachIdentity = (scope: Scope, blockId: string, identityId: string) =>
  scope.locking(blocks, blockId, async (scope) => {
    await scope.attach(blockIdentities, blockId, identityId)
    return scope.get(blocks, blockId)
  })

/** Removes the link to an identity, if there is one. 404 when either isn't there, 412. */
export const detachIdentity = (scope: Scope, blockId: string, identityId: string) =>
  scope.locking(blocks, blockId, async (scope) => {
    await scope.exists('identities', identityId)
    await scope.detach(blockIdentities, blockId, identityId)
    return scope.get(blocks, blockId)
  })
