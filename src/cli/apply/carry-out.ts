import { randomUUID } from 'node:crypto'
import type { Agent } from '../../resources/agents/schema.ts'
import type { Block } from '../../resources/blocks/schema.ts'
import { type Client, path } from '../client.ts'
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

/** Attaches and detaches the parts of a set. Tags are a field of the agent. */
async function changeSet(client: Client, route: string, { kind, add, remove }: SetPlan): Promise<void> {
  const parts = kind === 'blocks' ? '/core-memory/blocks' : `/${kind}`
  for (const { id } of add) await client.patch(`${route}${parts}/attach${path`/${id}`}`, undefined)
  for (const { id } of remove) await client.patch(`${route}${parts}/detach${path`/${id}`}`, undefined)
}

/**
 * Makes an agent of the server the agent in the file. Throws a 412 where somebody has changed the agent since the plan was made.
 * Where it is interrupted, applying the file again does the rest.
 */
export async function carryOut(client: Client, plan: AgentPlan): Promise<void> {
  if (plan.id === undefined) return createAgent(client, plan)
  const route = path`/v1/agents/${plan.id}`
  const tags = plan.sets.find(({ kind }) => kind === 'tags')
  const removed = tags?.remove.map(({ name }) => name) ?? []
  const { tags: now = [] } = tags ? await client.get<Agent>(route, { include: ['agent.tags'] }) : {}
  const next = [...now.filter((name) => !removed.includes(name)), ...(tags?.add.map(({ name }) => name) ?? [])]
  const body = { ...bodyOf(plan.changes), ...(tags && { tags: next }) }
  if (Object.keys(body).length > 0) await client.patch(route, body, plan.etag ? { 'if-match': plan.etag } : {})
  for (const { id, wanted, changes } of plan.blocks) {
    if (id !== undefined) await client.patch<Block>(path`/v1/blocks/${id}`, bodyOf(changes))
    else {
      const block = await client.post<Block>('/v1/blocks/', wanted, { 'idempotency-key': randomUUID() })
      await client.patch(`${route}${path`/core-memory/blocks/attach/${block.id!}`}`, undefined)
    }
  }
  for (const set of plan.sets) if (set.kind !== 'tags') await changeSet(client, route, set)
}
