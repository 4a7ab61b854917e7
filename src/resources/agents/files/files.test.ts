import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../../test/server.ts'
import { createScope } from '../../../db/scope.ts'
import { countLines } from '../../../files/lines.ts'
import { createCipher } from '../../../lib/cipher.ts'
import { newId } from '../../../lib/ids.ts'
import { files } from '../../folders/schema.ts'
import { showFile } from './show-files.ts'

const server = useTestServer()
let alice: Client
let bob: Client
beforeAll(() => {
  alice = server.alice
  bob = server.bob
})

let count = 0
const makeFolder = async (client = alice): Promise<string> =>
  (await client.post('/v1/folders/', { name: `Folder ${count++}` })).body.id
const makeAgent = async (body: object = {}, client = alice): Promise<string> =>
  (await client.post('/v1/agents/', { name: 'Reader', include_base_tools: false, ...body })).body.id

/** Files with a text, in a folder: by SQL, in the order given, as agents who have the folder don't see them yet. */
async function addFiles(folder: string, texts: Record<string, string | null>): Promise<string[]> {
  const ids: string[] = []
  for (const [name, content] of Object.entries(texts)) {
    const id = newId('file')
    const lines = content === null ? null : countLines(content, { file_name: name })
    await sql`insert into files (organization_id, id, source_id, file_name, content, line_count, created_at, updated_at)
      select organization_id, ${id}, id, ${name}, ${content}::text, ${lines}::int, now(), now() from folders
      where id = ${folder}`.execute(server.database.kysely)
    ids.push(id)
  }
  return ids
}

const scopeOf = (organizationId: string) =>
  createScope(
    { database: server.database, cipher: createCipher('00'.repeat(32)) },
    { organizationId, userId: null, keyId: null, scopes: [], requestId: null, operator: false },
  )

/** Stores a file's text, as reading an upload does. */
const store = (folder: string, id: string, content: string, organization = server.organizations.alice) =>
  scopeOf(organization).transaction(async (tx) => {
    const { file_name } = await tx.get(files, id)
    await tx.update(files, id, { content, line_count: countLines(content, { file_name }) })
    await showFile(tx, { id, source_id: folder })
  })

const numberedNames = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`${i}.txt`, `text ${i}`]))

const listed = async (agent: string, query = '', client = alice) => {
  const { status, body } = await client.get(`/v1/agents/${agent}/files${query}`)
  expect(status).toBe(200)
  return body.files as Record<string, string>[]
}
const openOf = async (agent: string, client = alice) =>
  (await listed(agent, '?is_open=true&order=asc', client)).map(({ file_name }) => file_name)
const viewOf = async (agent: string, file: string) =>
  (await listed(agent)).find(({ file_id }) => file_id === file)!.visible_content!
const open = (agent: string, file: string, query = '', client = alice) =>
  client.patch(`/v1/agents/${agent}/files/${file}/open${query}`)
const close = (agent: string, file: string, client = alice) => client.patch(`/v1/agents/${agent}/files/${file}/close`)
const attach = (agent: string, folder: string) => alice.patch(`/v1/agents/${agent}/folders/attach/${folder}`)
const detach = (agent: string, folder: string) => alice.patch(`/v1/agents/${agent}/folders/detach/${folder}`)
const blocksOf = async (agent: string) =>
  (await alice.get(`/v1/agents/?include=agent.blocks&limit=200`)).body.find(({ id }: { id: string }) => id === agent)
    .memory.file_blocks

/** An agent with a folder of so many files, of which it may have so many open. */
async function makeReader(fileCount: number, most: number, more: object = {}) {
  const folder = await makeFolder()
  const ids = await addFiles(folder, numberedNames(fileCount))
  const agent = await makeAgent({ folder_ids: [folder], max_files_open: most, ...more })
  return { folder, ids, agent }
}

describe('an agent sees the files of its folders', () => {
  test.each([
    ['that it is made with', (folder: string) => makeAgent({ folder_ids: [folder], max_files_open: 2 })],
    ['that it is made with (source_ids)', (folder: string) => makeAgent({ source_ids: [folder], max_files_open: 2 })],
    [
      'that a change gives it',
      async (folder: string) => {
        const agent = await makeAgent()
        await alice.patch(`/v1/agents/${agent}`, { folder_ids: [folder], max_files_open: 2 })
        return agent
      },
    ],
    [
      'that are attached',
      async (folder: string) => {
        const agent = await makeAgent({ max_files_open: 2 })
        await attach(agent, folder)
        await attach(agent, folder)
        return agent
      },
    ],
  ])('%s, each once, the first of them open', async (_, make) => {
    const folder = await makeFolder()
    const ids = await addFiles(folder, { ...numberedNames(3), 'unread.txt': null })
    const agent = await make(folder)
    const seen = await listed(agent, '?order=asc')
    expect(seen).toMatchObject(
      ids.slice(0, 3).map((file_id, n) => ({ file_id, file_name: `${n}.txt`, folder_id: folder, is_open: n < 2 })),
    )
    expect(seen[0]).toEqual({
      ...seen[0],
      folder_name: (await alice.get(`/v1/folders/${folder}`)).body.name,
      visible_content: '[Viewing file start (out of 1 line)]\n1: text 0',
      last_accessed_at: expect.any(String),
    })
    expect(Object.keys(seen[2]!)).toEqual(['id', 'file_id', 'file_name', 'folder_id', 'folder_name', 'is_open'])
  })

  test('the new ones rather than those it had open, of which the least recently used are closed', async () => {
    const { agent, ids } = await makeReader(3, 3)
    await open(agent, ids[0]!)
    const other = await makeFolder()
    await addFiles(other, { 'a.txt': 'a', 'b.txt': 'b' })
    await attach(agent, other)
    expect(await openOf(agent)).toEqual(['0.txt', 'a.txt', 'b.txt'])
  })

  test('until the folder is detached; attached again, they are there again', async () => {
    const { agent, folder } = await makeReader(2, 5)
    const before = await listed(agent)
    await detach(agent, folder)
    expect(await listed(agent)).toEqual([])
    expect((await attach(agent, folder)).status).toBe(200)
    expect((await listed(agent)).map(({ file_name }) => file_name)).toEqual(before.map(({ file_name }) => file_name))
  })

  test('as blocks of its memory, by ids that stay', async () => {
    const { agent, ids, folder } = await makeReader(2, 1, { per_file_view_window_char_limit: 1000 })
    const before = await blocksOf(agent)
    expect(before).toMatchObject([
      { label: '0.txt', file_id: ids[0], source_id: folder, is_open: true, limit: 1000, read_only: true },
      { label: '1.txt', file_id: ids[1], source_id: folder, is_open: false, value: '' },
    ])
    expect(before[0].value).toBe(await viewOf(agent, ids[0]!))
    await open(agent, ids[1]!)
    const after = await blocksOf(agent)
    expect(after.map(({ id }: { id: string }) => id)).toEqual(before.map(({ id }: { id: string }) => id))
    expect(after.map(({ value }: { value: string }) => value)).toEqual(['', await viewOf(agent, ids[1]!)])
    expect(after[1].last_accessed_at > before[0].last_accessed_at).toBe(true)
  })
})

describe('listing', () => {
  test('comes in pages in both directions, by any of its cursors', async () => {
    const { agent } = await makeReader(5, 2)
    const all = await listed(agent)
    expect(all.map(({ file_name }) => file_name)).toEqual(['4.txt', '3.txt', '2.txt', '1.txt', '0.txt'])
    const url = `/v1/agents/${agent}/files?limit=2`
    const first = await alice.get(url)
    expect(first.body).toEqual({ files: all.slice(0, 2), next_cursor: all[1]!.id, has_more: true })
    expect(first.headers.link).toBe(`<${url}&after=${all[1]!.id}>; rel="next"`)
    for (const cursor of ['after', 'cursor']) {
      const { body } = await alice.get(`${url}&${cursor}=${all[1]!.id}`)
      expect(body.files).toEqual(all.slice(2, 4))
      const last = await alice.get(`${url}&${cursor}=${body.next_cursor}`)
      expect(last.body).toEqual({ files: all.slice(4), has_more: false })
      expect(last.headers.link).toBeUndefined()
    }
    const back = (await alice.get(`${url}&before=${all[4]!.id}`)).body
    expect(back).toEqual({ files: all.slice(2, 4), next_cursor: all[2]!.id, has_more: true })
    expect((await alice.get(`${url}&before=${all[2]!.id}`)).body).toEqual({ files: all.slice(0, 2), has_more: false })
    expect(await listed(agent, '?is_open=false')).toEqual(all.slice(0, 3))
  })

  test('goes on after a file that has gone', async () => {
    const { agent, ids } = await makeReader(3, 2)
    const all = await listed(agent)
    await sql`delete from files where id = ${ids[1]}`.execute(server.database.kysely)
    expect((await listed(agent, `?after=${all[1]!.id}`)).map(({ id }) => id)).toEqual([all[2]!.id])
  })

  test('of an agent without files is empty, and of none is a 404', async () => {
    expect((await alice.get(`/v1/agents/${await makeAgent()}/files`)).body).toEqual({ files: [], has_more: false })
    expect((await alice.get(`/v1/agents/${newId('agent')}/files`)).status).toBe(404)
  })

  test.each(['limit=0', 'limit=x', 'cursor=1', 'after=file-1', 'is_open=maybe', 'order_by=name'])(
    'refuses %s',
    async (query) => {
      expect((await alice.get(`/v1/agents/${await makeAgent()}/files?${query}`)).status).toBe(422)
    },
  )
})

describe('opening and closing', () => {
  test('the least recently used file makes room, by its name, and a file opened again stays', async () => {
    const { agent, ids } = await makeReader(4, 2)
    const [a, b, c, d] = ids as [string, string, string, string]
    expect((await open(agent, a)).body).toEqual([])
    expect((await open(agent, c)).body).toEqual(['1.txt'])
    expect((await open(agent, a)).body).toEqual([])
    expect((await open(agent, d)).body).toEqual(['2.txt'])
    expect((await open(agent, d)).body).toEqual([])
    expect(await openOf(agent)).toEqual(['0.txt', '3.txt'])
    expect((await open(agent, b)).body).toEqual(['0.txt'])
  })

  test('a closed file shows nothing, and closing it again changes nothing', async () => {
    const { agent, ids } = await makeReader(2, 2)
    const message = `File id=${ids[0]} successfully closed`
    for (let n = 0; n < 2; n++) {
      expect(await close(agent, ids[0]!)).toMatchObject({ status: 200, body: { message } })
      expect(await openOf(agent)).toEqual(['1.txt'])
      expect(await viewOf(agent, ids[0]!)).toBeUndefined()
    }
  })

  test('all at once, by their names', async () => {
    const { agent } = await makeReader(4, 3)
    const closeAll = () => alice.patch(`/v1/agents/${agent}/files/close-all`)
    expect((await closeAll()).body).toEqual(['0.txt', '1.txt', '2.txt'])
    expect((await closeAll()).body).toEqual([])
    expect(await openOf(agent)).toEqual([])
  })

  test('what isn’t there, isn’t the agent’s or is another organization’s is one and the same 404', async () => {
    const { agent, ids } = await makeReader(1, 2)
    const [elsewhere] = await addFiles(await makeFolder(), { 'a.txt': 'a' })
    const [his] = await addFiles(await makeFolder(bob), { 'a.txt': 'a' })
    for (const verb of [open, close] as const) {
      for (const file of [elsewhere!, his!, newId('file')]) {
        const { status, body } = await (verb === open ? open(agent, file) : close(agent, file))
        expect([status, body.detail]).toEqual([404, `No file with id ${file} in this organization.`])
      }
      expect((await (verb === open ? open(agent, ids[0]!, '', bob) : close(agent, ids[0]!, bob))).status).toBe(404)
      expect((await (verb === open ? open(newId('agent'), ids[0]!) : close(newId('agent'), ids[0]!))).status).toBe(404)
    }
    expect((await bob.patch(`/v1/agents/${agent}/files/close-all`)).status).toBe(404)
    expect((await bob.get(`/v1/agents/${agent}/files`)).status).toBe(404)
    expect(await openOf(agent)).toEqual(['0.txt'])
  })

  test('a file without a text, and any file of an agent that may have none open, is a 409', async () => {
    const { agent, folder, ids } = await makeReader(1, 0)
    const { status, headers } = await open(agent, ids[0]!)
    expect([status, headers['x-should-retry']]).toEqual([409, 'false'])
    expect(await openOf(agent)).toEqual([])
    const [unread] = await addFiles(folder, { 'unread.txt': null })
    expect((await open(agent, unread!)).status).toBe(409)
  })

  test('some of the lines, until it is opened again', async () => {
    const folder = await makeFolder()
    const [file] = (await addFiles(folder, { 'a.txt': 'a\nb\nc\nd' })) as [string]
    const agent = await makeAgent({ folder_ids: [folder] })
    expect((await open(agent, file, '?start_line=2&end_line=3')).status).toBe(200)
    expect(await viewOf(agent, file)).toBe('[Viewing lines 2 to 3 (out of 4 lines)]\n2: b\n3: c')
    expect((await listed(agent))[0]).toMatchObject({ start_line: 2, end_line: 3 })
    await open(agent, file, '?start_line=4')
    expect(await viewOf(agent, file)).toBe('[Viewing lines 4 to the end (out of 4 lines)]\n4: d')
    for (const query of ['start_line=5', 'start_line=3&end_line=2', 'start_line=0', 'end_line=-1', 'start_line=1e9']) {
      expect([query, (await open(agent, file, `?${query}`)).status]).toEqual([query, 422])
    }
    expect(await viewOf(agent, file)).toContain('4: d')
    await open(agent, file)
    expect((await listed(agent))[0]).not.toHaveProperty('start_line')
    expect(await viewOf(agent, file)).toContain('1: a')
  })

  test('fifty at once never leave more open than may be', async () => {
    const { agent, ids } = await makeReader(10, 3)
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) => (n % 7 === 0 ? close(agent, ids[n % 10]!) : open(agent, ids[n % 10]!))),
    )
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200))
    expect((await openOf(agent)).length).toBeLessThanOrEqual(3)
  })
})

describe('what is shown of a file', () => {
  const shownOf = async (name: string, text: string, per_file_view_window_char_limit = 100) => {
    const folder = await makeFolder()
    const [file] = (await addFiles(folder, { [name]: text })) as [string]
    const agent = await makeAgent({ folder_ids: [folder], per_file_view_window_char_limit })
    return { agent, file, view: await viewOf(agent, file) }
  }

  test('ends within the limit, counted in characters, and says so', async () => {
    const { view } = await shownOf('cats.txt', '🐈'.repeat(200))
    expect([...view]).toHaveLength(100)
    expect(view).toMatch(/^\[Viewing file start \(out of 1 line\)\]\n1: 🐈+\n\.\.\.\[TRUNCATED\]$/u)
  })

  test.each([0, 1, 15, 16])('keeps to a limit of %d characters', async (limit) => {
    expect([...(await shownOf('a.txt', 'text\n'.repeat(50), limit)).view]).toHaveLength(limit)
  })

  test('is whole where it just fits', async () => {
    const whole = (await shownOf('a.txt', 'abc', 1000)).view
    expect((await shownOf('a.txt', 'abc', whole.length)).view).toBe(whole)
    expect((await shownOf('a.txt', 'abc', whole.length - 1)).view).toMatch(/TRUNCATED\]$/)
  })

  test('is found behind any number of blank lines', async () => {
    expect((await shownOf('a.py', `${'\n'.repeat(10_000)}x = 1`)).view).toContain('\n1: x = 1')
  })

  test('of ten megabytes is no more than the limit, with what is asked for far inside', async () => {
    const { agent, file, view } = await shownOf('big.txt', 'A line of a large file.\n'.repeat(420_000), 5000)
    expect(view).toHaveLength(5000)
    expect(view).toContain('(out of 420000 lines)')
    await open(agent, file, '?start_line=400000&end_line=400001')
    expect((await viewOf(agent, file)).split('\n').slice(1)).toEqual([
      '400000: A line of a large file.',
      '400001: A line of a large file.',
    ])
  })

  test('follows the agent’s limits when they change', async () => {
    const { agent } = await makeReader(4, 3)
    const change = (body: object) => alice.patch(`/v1/agents/${agent}`, body)
    await change({ max_files_open: 1 })
    expect(await openOf(agent)).toEqual(['0.txt'])
    await change({ per_file_view_window_char_limit: 10 })
    const [block] = await blocksOf(agent)
    expect([block.limit, block.value.length]).toEqual([10, 10])
    await change({ per_file_view_window_char_limit: null })
    expect((await blocksOf(agent))[0].value).toContain('1: text 0')
  })
})

describe('a text that is stored', () => {
  test('is shown to every agent that has the folder, and to no other', async () => {
    const { folder, agent: full } = await makeReader(2, 2)
    const agents = await Promise.all(Array.from({ length: 20 }, () => makeAgent({ folder_ids: [folder] })))
    const stranger = await makeAgent()
    const [file] = (await addFiles(folder, { 'new.md': null })) as [string]
    await store(folder, file, 'One. Two.')
    for (const agent of agents) expect(await viewOf(agent, file)).toContain('(out of 2 lines)]\n1: One.\n2: Two.')
    expect(await openOf(full)).toEqual(['0.txt', 'new.md'])
    expect(await listed(stranger)).toEqual([])
  })

  test('is shown as it is now where it was shown before, whether open or not, to each as far as it sees', async () => {
    const { folder, agent, ids } = await makeReader(1, 2)
    const near = await makeAgent({ folder_ids: [folder], per_file_view_window_char_limit: 60 })
    const closed = await makeAgent({ folder_ids: [folder] })
    await close(closed, ids[0]!)
    await open(agent, ids[0]!, '?start_line=1&end_line=1')
    const before = await listed(agent)
    await store(folder, ids[0]!, 'new\n'.repeat(100))
    expect((await listed(agent)).map(({ id }) => id)).toEqual(before.map(({ id }) => id))
    expect(await viewOf(agent, ids[0]!)).toMatch(/^\[Viewing file start \(out of 100 lines\)\]\n1: new\n/)
    expect(await viewOf(near, ids[0]!)).toHaveLength(60)
    expect(await openOf(closed)).toEqual([])
  })

  test('is seen by agents that get the folder at the same moment', async () => {
    const folder = await makeFolder()
    const ids = await addFiles(folder, { 'a.txt': null, 'b.txt': null, 'c.txt': null })
    const agents = await Promise.all(Array.from({ length: 8 }, () => makeAgent()))
    await Promise.all([
      ...ids.map((id) => store(folder, id, 'text')),
      ...agents.map((agent) => attach(agent, folder)),
      makeAgent({ folder_ids: [folder] }).then((agent) => agents.push(agent)),
    ])
    for (const agent of agents) expect((await openOf(agent)).toSorted()).toEqual(['a.txt', 'b.txt', 'c.txt'])
  })

  test('of another organization changes nothing', async () => {
    const { folder, ids, agent } = await makeReader(1, 2)
    await expect(store(folder, ids[0]!, 'his', server.organizations.bob)).rejects.toThrow('No file with id')
    expect(await viewOf(agent, ids[0]!)).toContain('1: text 0')
  })
})
