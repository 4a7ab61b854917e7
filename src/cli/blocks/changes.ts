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
  const one = { limit: 1, ...(version !== undefined && { before: version + 1 }) }
  const { route, changes } = await readChanges(client, reference, one)
  const [change] = changes
  if (!change || (version !== undefined && change.version !== version))
    throw new CommandError(`The history of ${reference} has no version ${version}.`)
  // Read by itself, for a page of large versions ends before its limit.
  const earlier = change.version > 1 && (await readChanges(client, reference, { limit: 1, before: change.version }))
  return { route, change, former: earlier ? earlier.changes[0] : undefined }
}
