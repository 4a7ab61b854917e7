import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { docx, pdf } from '../../test/documents.ts'
import { type Content, upload } from '../../test/forms.ts'
import { startTestServer, type TestServer } from '../../test/server.ts'
import { createScope, type Scope } from '../db/scope.ts'
import { lexical } from '../embed/lexical.ts'
import { createCipher } from '../lib/cipher.ts'
import { createEgress } from '../lib/egress.ts'
import { ApiError } from '../lib/errors.ts'
import { refusedWith } from '../llm/connection.ts'
import { advance, NEXT } from '../resources/folders/progress.ts'
import { createEmbedders, type Embedders } from '../resources/models/embedding.ts'
import { processFile } from './process-file.ts'

/** The embedders of a server without providers. */
const builtIn = () => createEmbedders({ egress: createEgress([]), providers: [] })

let server: TestServer
let scope: Scope
beforeAll(async () => {
  server = await startTestServer()
  scope = createScope(
    { database: server.database, cipher: createCipher('00'.repeat(32)) },
    {
      organizationId: server.organizations.alice,
      userId: null,
      keyId: null,
      scopes: [],
      requestId: null,
      operator: false,
    },
  )
})
afterAll(() => server.close())

const newFolder = async (more: object = {}): Promise<string> =>
  (await server.alice.post('/v1/folders/', { name: randomUUID(), ...more })).body.id

/** Uploads a file to a folder of its own. */
async function sent(name: string, content: Content, more?: object) {
  const folder = await newFolder(more)
  const { id } = (await upload(server.alice, folder, name, content)).body
  const url = `/v1/folders/${folder}`
  return {
    id: id as string,
    file: async () => (await server.alice.get(`${url}/files/${id}?include_content=true`)).body,
    texts: async (): Promise<string[]> =>
      (await server.alice.get(`${url}/passages?limit=200`)).body.map(({ text }: { text: string }) => text),
  }
}

const partsOf = async (id: string) =>
  (await sql`select 1 from file_parts where file_id = ${id}`.execute(server.database.kysely)).rows.length

const run = (id: string, embedders: Embedders = builtIn(), signal = new AbortController().signal) =>
  processFile(embedders).handler(scope, { file_id: id }, signal)

/** Embedders that do what the built-in one does, but for the `nth` call, which `fault` is thrown at. */
function faulty(nth: number, fault: Error): Embedders {
  const real = builtIn()
  let calls = 0
  return {
    async of(scope, config) {
      const embedder = await real.of(scope, config)
      return {
        ...embedder,
        async embed(...args) {
          if (++calls === nth) throw fault
          return embedder.embed(...args)
        },
      }
    },
  }
}

/** A text of many passages. */
const LONG = Array.from({ length: 200 }, (_, n) => `Paragraph ${n} of the text. ${'More words. '.repeat(20)}`).join(
  '\n\n',
)

describe('an uploaded file', () => {
  test.each<[string, Content]>([
    ['text.txt', 'Turn the key.'],
    ['table.csv', 'what,how\nkey,Turn the key.\n'],
    ['page.html', '<p>Turn the key.</p>'],
    ['paper.pdf', pdf(['Turn the key.'])],
    ['letter.docx', docx(['Turn the key.'])],
  ])('%s ends with its text, its passages and their vectors', async (name, content) => {
    const { id, file, texts } = await sent(name, content)
    await server.settle()
    expect(await file()).toMatchObject({
      processing_status: 'completed',
      content: expect.stringContaining('Turn the key.'),
      total_chunks: 1,
      chunks_embedded: 1,
    })
    expect(await texts()).toEqual([expect.stringContaining('Turn the key.')])
    expect(await partsOf(id)).toBe(0)
  })

  test('is cut into pieces of the length its folder says', async () => {
    const [short, long] = [
      await sent('a.md', LONG, { embedding_chunk_size: 100 }),
      await sent('a.md', LONG, { embedding_chunk_size: 1000 }),
    ]
    await server.settle()
    const [many, few] = [(await short.file()).total_chunks, (await long.file()).total_chunks]
    expect(many).toBeGreaterThan(few * 5)
    expect((await long.file()).chunks_embedded).toBe(few)
  })

  test('that cannot be read has an error, and the others are not held up', async () => {
    const folder = await newFolder()
    const { alice } = server
    for (const [name, content] of [
      ['broken.txt', Buffer.from([0x61, 0xff])],
      ['good.txt', 'fine'],
      ['images.pdf', pdf([''])],
      ['no.docx', 'no'],
    ] as const)
      await upload(alice, folder, name, content)
    await server.settle()
    const files = (await alice.get(`/v1/folders/${folder}/files?order=asc`)).body
    expect(files.map((file: { processing_status: string }) => file.processing_status)).toEqual([
      'error',
      'completed',
      'error',
      'error',
    ])
    expect(files[0].error_message).toMatch(/not valid UTF-8: byte 1 \(line 1\)/)
    expect(files[2].error_message).toMatch(/no text/)
    for (const { id } of files) expect(await partsOf(id)).toBe(0)
    expect((await alice.get(`/v1/folders/${folder}/passages`)).body).toHaveLength(1)
    const { rows } = await sql<{ state: string }>`
      select state::text from jobs.job where name = 'process_file' and state <> 'completed'`.execute(
      server.database.kysely,
    )
    expect(rows).toEqual([])
  })

  test('is seen by the agents that have its folder, and by no others', async () => {
    const { alice } = server
    const folder = await newFolder()
    const reader = (await alice.post('/v1/agents/', { name: 'Reader', folder_ids: [folder] })).body
    const other = (await alice.post('/v1/agents/', { name: 'Other' })).body
    const { id } = (await upload(alice, folder, 'a.txt', 'x')).body
    await server.settle()
    const seen = async (agent: { id: string }) =>
      (await alice.get(`/v1/agents/${agent.id}?include=agent.blocks`)).body.memory.file_blocks
    expect(await seen(reader)).toMatchObject([{ file_id: id, source_id: folder }])
    expect(await seen(other)).toEqual([])
  })
})

describe('an embedding model', () => {
  test('that does not answer is asked again, from where it stopped', async () => {
    const { id, file, texts } = await sent('a.md', LONG, { embedding_chunk_size: 20 })
    const down = new ApiError('bad_gateway', 'The embedding model does not answer.')
    await expect(run(id, faulty(3, down))).rejects.toBe(down)
    const half = await file()
    expect(half).toMatchObject({ processing_status: 'embedding', chunks_embedded: 64, error_message: down.message })
    expect((await texts()).length).toBe(64)
    const before = await texts()
    await run(id)
    const done = await file()
    expect(done).toMatchObject({ processing_status: 'completed', chunks_embedded: half.total_chunks })
    expect(done).not.toHaveProperty('error_message')
    expect((await texts()).slice(0, 64)).toEqual(before)
    const { rows } = await sql<{ count: number; texts: number }>`
      select count(*) as count, count(distinct text) as texts from passages where file_id = ${id}`.execute(
      server.database.kysely,
    )
    expect(rows[0]!.count).toBe(half.total_chunks)
  })

  test.each([400, 401, 403, 404])('that refuses (%s) is an error at once', async (status) => {
    const { id, file } = await sent('a.md', LONG)
    await run(id, faulty(2, refusedWith('acme', status)))
    const error_message = refusedWith('acme', status).message
    expect(await file()).toMatchObject({ processing_status: 'error', error_message })
  })

  test('that is given up leaves the reason, and no passages', async () => {
    const { id, file, texts } = await sent('a.md', LONG)
    const down = new ApiError('bad_gateway', 'The embedding model does not answer.')
    await expect(run(id, faulty(2, down))).rejects.toBe(down)
    await processFile(builtIn()).onExhausted!(scope, { file_id: id }, down.message)
    expect(await file()).toMatchObject({ processing_status: 'error', error_message: down.message })
    expect(await texts()).toEqual([])
    await run(id)
    expect((await file()).processing_status).toBe('error')
  })

  test('that this server cannot use is an error at once', async () => {
    const { file } = await sent('a.md', 'text', { embedding: 'openai/text-embedding-3-small' })
    await server.settle()
    const { processing_status, error_message, content } = await file()
    expect([processing_status, content]).toEqual(['error', 'text'])
    expect(error_message).toMatch(/there is no provider "openai"/)
  })

  test('that changes meanwhile embeds what is left, and the folder’s passages have both models’ vectors', async () => {
    const folder = await newFolder()
    const { id } = (await upload(server.alice, folder, 'a.md', 'text')).body
    await sql`update folders set serving_config = embedding_config || '{"embedding_model": "older"}'
      where id = ${folder}`.execute(server.database.kysely)
    await run(id, { of: async () => lexical })
    const { rows } = await sql<{ model: string }>`
      select model from embeddings where container_id = ${folder} order by model`.execute(server.database.kysely)
    expect(rows.map(({ model }) => model)).toEqual(['native/lexical/512', 'native/older/512'])
  })
})

test('a reading begun anew after another cut starts over, rather than mix the two', async () => {
  const { id, file, texts } = await sent('a.md', LONG, { embedding_chunk_size: 20 })
  await expect(run(id, faulty(2, new Error('ended')))).rejects.toThrow('ended')
  await sql`update folders set embedding_config = embedding_config || '{"embedding_chunk_size": 200}'
    where id = (select source_id from files where id = ${id})`.execute(server.database.kysely)
  await run(id)
  const { total_chunks, chunks_embedded } = await file()
  expect(chunks_embedded).toBe(total_chunks)
  expect(await texts()).toHaveLength(total_chunks)
})

test('two servers that read the same file make its passages once', async () => {
  const { id, file } = await sent('a.md', LONG, { embedding_chunk_size: 20 })
  await Promise.allSettled([run(id), run(id)])
  await run(id)
  const { total_chunks } = await file()
  const { rows } = await sql<{ count: number }>`select count(*) as count from passages where file_id = ${id}`.execute(
    server.database.kysely,
  )
  expect(rows[0]!.count).toBe(total_chunks)
})

test('a file goes from state to state only as it may, and never out of the last', async () => {
  const { id } = await sent('a.md', 'x')
  const states = Object.keys(NEXT) as (keyof typeof NEXT)[]
  for (const from of states) {
    for (const to of states) {
      await sql`update files set processing_status = ${from} where id = ${id}`.execute(server.database.kysely)
      const moved = await scope.transaction((tx) => advance(tx, id, { processing_status: to }))
      expect([from, to, moved]).toEqual([from, to, NEXT[from].includes(to)])
    }
  }
})
