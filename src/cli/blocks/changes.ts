import type { BlockVersion } from '../../resources/blocks/history/schema.ts'
import { type Client, path } from '../client.ts'
import { CommandError } from '../exit.ts'
import { findBlock } from './find-block.ts'

/** The route of a block, also of one that was deleted, and its changes, the last one first. `before`: of earlier versions. */
export async function readChanges(client: Client, reference: string, query: { before?: number; limit?: number } = {}) {
  const isId = !reference.includes('/')
  const route = isId ? path`/v1/blocks/${reference}` : (await findBlock(client, reference)).route
  return { route, changes: await client.get<BlockVersion[]>(`${route}/history`, query) }
}

/** The changes that made a version and the one before it. Without a version: the last change. Throws a CommandError. */
export async function readChange(client: Client, reference: string, version: number | undefined) {
  const query = version === undefined ? { limit: 2 } : { before: version + 1, limit: 2 }
  const { route, changes } = await readChanges(client, reference, query)
  const [change, former] = changes
  if (!change || (version !== undefined && change.version !== version))
    throw new CommandError(`The history of ${reference} has no version ${version}.`)
  return { route, change, former }
}
