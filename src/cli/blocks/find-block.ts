import { idPattern } from '../../lib/ids.ts'
import type { Block } from '../../resources/blocks/schema.ts'
import { type Client, path, type Versioned } from '../client.ts'
import { wrongUse } from '../exit.ts'
import { agentRoute } from '../find.ts'

/** How commands describe the argument that names a block. */
export const BLOCK_ARGUMENT = ['<block>', 'its id, or the agent and the label: Ada/human'] as const

/** A block with its route and its version. `reference`: its id, or an agent and a label of a block of this agent. */
export async function findBlock(client: Client, reference: string): Promise<Versioned<Block> & { route: string }> {
  let id = reference
  if (!new RegExp(idPattern('block')).test(reference)) {
    const slash = reference.indexOf('/')
    if (slash < 0) throw wrongUse(`"${reference}" names no block. Use its id, or the agent and the label: Ada/human.`)
    const agent = await agentRoute(client, reference.slice(0, slash))
    const block = await client.get<Block>(`${agent}${path`/core-memory/blocks/${reference.slice(slash + 1)}`}`)
    id = block.id!
  }
  const route = path`/v1/blocks/${id}`
  return { route, ...(await client.versioned<Block>(route)) }
}
