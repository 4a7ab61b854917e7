import type Letta from '@letta-ai/letta-client'
import { toFile } from '@letta-ai/letta-client'
import { beforeAll, describe, expect, test } from 'vitest'
import { all, useLetta } from './client.ts'

const server = useLetta()

interface Listed {
  id: string
}
interface Paged {
  create(client: Letta, n: number): Promise<Listed>
  list(
    client: Letta,
    query: { limit?: number | null; order?: 'asc' | 'desc'; before?: string | null; after?: string | null },
  ): AsyncIterable<Listed>
  delete(client: Letta, id: string): Promise<unknown>
}

/** A folder of each client's, for files. */
const foldersOf = new Map<Letta, Promise<Listed>>()
function folderOf(client: Letta) {
  const folder = foldersOf.get(client) ?? client.folders.create({ name: 'Papers' })
  foldersOf.set(client, folder)
  return folder
}

/** The resources that the SDK lists in pages, creates and deletes. */
const PAGED: Record<string, Paged> = {
  agents: {
    create: (client, n) => client.agents.create({ name: `Agent ${n}`, include_base_tools: false }),
    list: (client, query) => client.agents.list(query),
    delete: (client, id) => client.agents.delete(id),
  },
  blocks: {
    create: (client, n) => client.blocks.create({ label: `label ${n}`, value: 'x' }),
    list: (client, query) => client.blocks.list(query),
    delete: (client, id) => client.blocks.delete(id),
  },
  tools: {
    create: (client, n) =>
      client.tools.create({ source_code: `def paged_${n}():\n    """Nothing."""\n    return None` }),
    list: (client, query) => client.tools.list({ ...query, tool_types: ['custom'] }),
    delete: (client, id) => client.tools.delete(id),
  },
  archives: {
    create: (client, n) => client.archives.create({ name: `Archive ${n}` }),
    list: (client, query) => client.archives.list(query),
    delete: (client, id) => client.archives.delete(id),
  },
  folders: {
    create: (client, n) => client.folders.create({ name: `Folder ${n}` }),
    list: (client, query) => client.folders.list({ ...query, name: 'Folder' }),
    delete: (client, id) => client.folders.delete(id),
  },
  'files of a folder': {
    create: async (client, n) =>
      client.folders.files.upload((await folderOf(client)).id, { file: await toFile(Buffer.from('x'), `${n}.txt`) }),
    async *list(client, query) {
      yield* client.folders.files.list((await folderOf(client)).id, query)
    },
    delete: async (client, id) => client.folders.files.delete(id, { folder_id: (await folderOf(client)).id }),
  },
}

/** Not a multiple of the page's length, so that the last page is a part of one. */
const COUNT = 7
const LIMIT = 3

/** The items from the last page to the first, each page in its own order, as a pager that goes backward returns them. */
function backward<T>(items: T[]): T[] {
  const pages: T[][] = []
  for (let end = items.length; end > 0; end -= LIMIT) pages.push(items.slice(Math.max(0, end - LIMIT), end))
  return pages.flat()
}

describe.each(Object.entries(PAGED))('%s, paged by the SDK', (_name, { create, list, delete: remove }) => {
  const made: string[] = []
  beforeAll(async () => {
    for (let n = 0; n < COUNT; n++) made.push((await create(server.alice, n)).id)
    await create(server.bob, 0)
  })
  const idsOf = async (query: Parameters<typeof list>[1], client = server.alice) =>
    (await all(list(client, query))).map(({ id }) => id)

  test.each(['asc', 'desc'] as const)('come each once, forward and backward, in %s order', async (order) => {
    const expected = order === 'asc' ? made : made.toReversed()
    expect(await idsOf({ limit: LIMIT, order })).toEqual(expected)
    expect(await idsOf({ limit: LIMIT, order, after: expected[1]! })).toEqual(expected.slice(2))
    expect(await idsOf({ limit: LIMIT, order, before: expected[5]! })).toEqual(backward(expected.slice(0, 5)))
    expect(await idsOf({ limit: COUNT, order, after: expected[0]!, before: expected[6]! })).toEqual(
      expected.slice(1, 6),
    )
  })

  test('a null cursor is ignored', async () => {
    expect(await idsOf({ limit: LIMIT, order: 'asc', after: null })).toEqual(made)
    // The key alone turns the SDK round: it asks for what comes before the first page, which is nothing.
    expect(await idsOf({ limit: LIMIT, order: 'asc', before: null })).toEqual(made.slice(0, LIMIT))
    expect(await idsOf({ limit: null, order: 'asc' })).toEqual(made)
  })

  test('of one organization are invisible to another', async () => {
    expect(await idsOf({ limit: LIMIT }, server.bob)).toHaveLength(1)
    expect(made).not.toContain((await idsOf({ limit: LIMIT }, server.bob))[0])
  })

  test.each([{ order: 'asc' }, { order: 'desc' }, { order: 'asc', backward: true }] as const)(
    'are all gone after a loop that deletes each as it comes: %o',
    async ({ order, ...way }) => {
      const doomed = await idsOf({})
      const end = (await create(server.alice, 100)).id
      for (let n = COUNT - doomed.length; n > 0; n--) doomed.push((await create(server.alice, 100 + n)).id)
      const cursor = 'backward' in way ? { before: doomed.at(-1)! } : {}
      const seen: string[] = []
      for await (const { id } of list(server.alice, { limit: LIMIT, order, ...cursor })) {
        await remove(server.alice, id)
        seen.push(id)
      }
      if ('backward' in way) {
        await remove(server.alice, doomed.at(-1)!)
        seen.push(doomed.at(-1)!)
      }
      expect(seen.toSorted()).toEqual([...doomed, end].toSorted())
      expect(await idsOf({})).toEqual([])
      expect(await idsOf({}, server.bob)).toHaveLength(1)
    },
  )
})
