import type { Agent } from '../../resources/agents/schema.ts'
import type { Block } from '../../resources/blocks/schema.ts'
import { type Client, path } from '../client.ts'
import { findByName, findId } from '../find.ts'
import { changesOf, type FieldChange } from './compare.ts'
import { type FiledAgent, type FiledBlock, SETTINGS } from './file-schema.ts'

/** A change of a block of an agent. */
export interface BlockPlan {
  wanted: FiledBlock
  /** Absent: the block is created. */
  id?: string
  etag?: string | undefined
  changes: FieldChange[]
}

/** Names to add to a set of an agent's, and to remove from it, with their ids. */
export interface SetPlan {
  kind: 'tags' | 'tools' | 'folders' | 'blocks'
  add: { name: string; id: string }[]
  remove: { name: string; id: string }[]
}

/** What makes an agent of the server the agent in a file. */
export interface AgentPlan {
  wanted: FiledAgent
  /** Absent: the agent is created. */
  id?: string
  etag?: string | undefined
  changes: FieldChange[]
  blocks: BlockPlan[]
  sets: SetPlan[]
}

export const isEmpty = ({ id, changes, blocks, sets }: AgentPlan) =>
  id !== undefined && changes.length === 0 && blocks.length === 0 && sets.length === 0

const RELATIONS = ['agent.blocks', 'agent.tools', 'agent.tags', 'agent.sources']

/** The blocks that a file adds to an agent, or changes: these are read once more, with their versions. */
async function planBlocks(
  client: Client,
  wanted: readonly FiledBlock[],
  actual: readonly Block[],
): Promise<BlockPlan[]> {
  const plans: BlockPlan[] = []
  for (const one of wanted) {
    const block = actual.find(({ label }) => label === one.label)
    if (!block) plans.push({ wanted: one, changes: [] })
    else if (changesOf(one, block, Object.keys(one)).length > 0) {
      const { value, etag } = await client.versioned<Block>(path`/v1/blocks/${block.id!}`)
      plans.push({ wanted: one, id: block.id!, etag, changes: changesOf(one, value, Object.keys(one)) })
    }
  }
  return plans.filter(({ id, changes }) => id === undefined || changes.length > 0)
}

interface Named {
  id: string
  name: string
}

/** The names that the file adds to a set of the agent's, and with `prune` those that it removes. */
async function planSet(
  kind: SetPlan['kind'],
  wanted: readonly string[] | undefined,
  actual: readonly Named[],
  idOf: (name: string) => Promise<string>,
  prune: boolean,
): Promise<SetPlan[]> {
  if (wanted === undefined) return []
  const missing = [...new Set(wanted)].filter((name) => !actual.some((one) => one.name === name))
  const add = await Promise.all(missing.map(async (name) => ({ name, id: await idOf(name) })))
  const remove = prune ? actual.filter(({ name }) => !wanted.includes(name)) : []
  return add.length + remove.length > 0 ? [{ kind, add, remove: remove.map(({ id, name }) => ({ id, name })) }] : []
}

/** Compares an agent in a file with that of its name on the server. `prune`: parts that the file doesn't name are removed. */
export async function planAgent(client: Client, wanted: FiledAgent, prune: boolean): Promise<AgentPlan> {
  const found = await findByName<Named>(client, 'agent', wanted.name)
  const route = found ? path`/v1/agents/${found.id}` : undefined
  // The ETag is read first, and without relations: blocks have ETags of their own, and another agent in the file may share them.
  const etag = route === undefined ? undefined : (await client.versioned<Agent>(route)).etag
  const agent = route === undefined ? undefined : await client.get<Agent>(route, { include: RELATIONS })
  const named = (list: readonly { id?: string; name?: string }[] = []) => list as Named[]
  const tags = (agent?.tags ?? []).map((name) => ({ name, id: name }))
  const labels = (agent?.blocks ?? []).map(({ id, label }) => ({ id: id!, name: label! }))
  const blocks = wanted.blocks ?? []
  // Blocks of the file are attached when they are created: here they can only be removed.
  const known = blocks.map(({ label }) => label).filter((label) => labels.some(({ name }) => name === label))
  const sets = [
    await planSet('tags', wanted.tags, tags, async (name) => name, prune),
    await planSet('tools', wanted.tools, named(agent?.tools), (name) => findId(client, 'tool', name), prune),
    await planSet('folders', wanted.folders, named(agent?.sources), (name) => findId(client, 'folder', name), prune),
    await planSet('blocks', wanted.blocks && known, labels, async (name) => name, prune),
  ].flat()
  const planned = await planBlocks(client, blocks, agent?.blocks ?? [])
  if (!agent) return { wanted, changes: [], blocks: planned, sets }
  return { wanted, id: agent.id, etag, changes: changesOf(wanted, agent, SETTINGS), blocks: planned, sets }
}
