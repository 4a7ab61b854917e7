import { randomUUID } from 'node:crypto'
import type { Agent } from '../../resources/agents/schema.ts'
import type { Block } from '../../resources/blocks/schema.ts'
import { type Client, path } from '../client.ts'
import { CommandError } from '../exit.ts'
import { RequestFailed } from '../server-error.ts'
import { isAsWanted } from './compare.ts'
import type { AgentPlan, SetPlan } from './plan.ts'

const bodyOf = (changes: AgentPlan['changes']) => Object.fromEntries(changes.map(({ field, after }) => [field, after]))

/** Creates the agent in a file with all its parts, in one request. */
async function createAgent(client: Client, { wanted, sets }: AgentPlan): Promise<void> {
  const { blocks, tools: _tools, folders: _folders, ...settings } = wanted
  const ids = (kind: SetPlan['kind']) => sets.find((set) => set.kind === kind)?.add.map(({ id }) => id)
  const body = { ...settings, memory_blocks: blocks, tool_ids: ids('tools'), folder_ids: ids('folders') }
  // The file names the tools; without `tools`, the agent gets the usual ones.
  const own = wanted.tools && { include_base_tools: false }
  await client.post<Agent>('/v1/agents/', { ...body, ...own }, { 'idempotency-key': randomUUID() })
}

/** Changes a resource of a plan. Throws where somebody has changed it otherwise since its version was read. */
async function change(
  client: Client,
  route: string,
  body: object,
  etag: string | undefined,
  what: string,
): Promise<void> {
  try {
    await client.patch(route, body, etag ? { 'if-match': etag } : {})
  } catch (error) {
    if (!(error instanceof RequestFailed) || error.status !== 412) throw error
    // Two agents in the file may share a block.
    if (isAsWanted(body, await client.get(route))) return
    throw new CommandError(
      `The ${what} was changed meanwhile, and is not overwritten. Apply the file again to see what is left to change.`,
    )
  }
}

/** Attaches and detaches the parts of a set. Tags are a field of the agent. */
async function changeSet(client: Client, route: string, { kind, add, remove }: SetPlan): Promise<void> {
  const parts = kind === 'blocks' ? '/core-memory/blocks' : `/${kind}`
  for (const { id } of add) await client.patch(`${route}${parts}/attach${path`/${id}`}`, undefined)
  for (const { id } of remove) await client.patch(`${route}${parts}/detach${path`/${id}`}`, undefined)
}

/**
 * Makes an agent of the server the agent in the file. Throws where somebody has changed the agent or a block since the plan was
 * made. Where it is interrupted, applying the file again does the rest.
 */
export async function carryOut(client: Client, plan: AgentPlan): Promise<void> {
  if (plan.id === undefined) return createAgent(client, plan)
  const route = path`/v1/agents/${plan.id}`
  const tags = plan.sets.find(({ kind }) => kind === 'tags')
  const removed = tags?.remove.map(({ name }) => name) ?? []
  const { tags: now = [] } = tags ? await client.get<Agent>(route, { include: ['agent.tags'] }) : {}
  const next = [...now.filter((name) => !removed.includes(name)), ...(tags?.add.map(({ name }) => name) ?? [])]
  const body = { ...bodyOf(plan.changes), ...(tags && { tags: next }) }
  const { name } = plan.wanted
  if (Object.keys(body).length > 0) await change(client, route, body, plan.etag, `agent "${name}"`)
  for (const { id, etag, wanted, changes } of plan.blocks) {
    if (id !== undefined) {
      await change(client, path`/v1/blocks/${id}`, bodyOf(changes), etag, `block "${wanted.label}" of agent "${name}"`)
    } else {
      const block = await client.post<Block>('/v1/blocks/', wanted, { 'idempotency-key': randomUUID() })
      await client.patch(`${route}${path`/core-memory/blocks/attach/${block.id!}`}`, undefined)
    }
  }
  for (const set of plan.sets) if (set.kind !== 'tags') await changeSet(client, route, set)
}
