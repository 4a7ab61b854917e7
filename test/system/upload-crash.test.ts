import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { fileForm } from '../forms.ts'
import { caller, createMigratedStore, type Server, type Store } from '../process.ts'

const KEY = 'key-of-the-upload-crash-test'

let store: Store
beforeAll(async () => {
  store = await createMigratedStore()
})
afterAll(() => store.drop())

const PATIENCE = { timeout: 90_000, interval: 50 }

/** Of a thousand passages, each of another text. */
const LONG = Array.from({ length: 1_200 }, (_, n) => `Line ${n} says what none of the others says.`).join('\n')

/** Ends a server at once. On PostgreSQL the others would wait for its sign of life: let it be long ago. */
async function kill(server: Server) {
  expect(await server.kill('SIGKILL')).toMatchObject({ signal: 'SIGKILL' })
  if (!store.databaseUrl) return
  const database = await store.open()
  await sql`update jobs.job set heartbeat_on = heartbeat_on - interval '1 hour' where state = 'active'`.execute(
    database.kysely,
  )
  await sql`update jobs.queue set monitor_on = monitor_on - interval '1 hour'`.execute(database.kysely)
  await database.close()
}

test('a server killed at any moment loses no accepted upload, and makes no passage twice', {
  timeout: 300_000,
}, async () => {
  const start = () => store.serve({ CAIRN_API_KEY: KEY, LOG_LEVEL: 'warn' })
  let server = await start()
  const folder = (await caller(server.url, KEY)('POST', '/v1/folders', { name: 'Kept', embedding_chunk_size: 20 })).body
    .id

  const send = async (name: string, text: string) => {
    const response = await fetch(`${server.url}/v1/folders/${folder}/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}` },
      body: fileForm(name, text),
    })
    expect(response.status).toBe(200)
  }
  const names = ['long.txt', 'short.md', 'other.md']
  await Promise.all(names.map((name) => send(name, name === 'long.txt' ? LONG : name)))
  await kill(server)

  const files = async () => (await caller(server.url, KEY)('GET', `/v1/folders/${folder}/files`)).body
  type Told = { file_name: string; processing_status: string; chunks_embedded?: number }
  const long = async () => (await files()).find(({ file_name }: Told) => file_name === 'long.txt') as Told
  // In the middle of its first passages, and of later ones.
  for (const embedded of [1, 200]) {
    server = await start()
    await vi.waitUntil(async () => ((await long()).chunks_embedded ?? -1) >= embedded, PATIENCE)
    await kill(server)
  }

  server = await start()
  await vi.waitUntil(
    async () => (await files()).every(({ processing_status }: Told) => processing_status === 'completed'),
    PATIENCE,
  )
  const listed = (await files()) as Told[]
  expect(listed.map(({ file_name }) => file_name).sort()).toEqual([...names].sort())
  expect(await server.kill('SIGTERM')).toMatchObject({ code: 0 })

  const database = await store.open()
  const { rows } = await sql<{ name: string; total: number; made: number; texts: number; vectors: number }>`
    select original_file_name as name, total_chunks as total, count(*) as made, count(distinct passages.text) as texts,
      count(embedding) as vectors
    from files join passages on passages.file_id = files.id left join embeddings on passage_id = passages.id
    group by files.organization_id, files.id order by total_chunks desc`.execute(database.kysely)
  const { rows: parts } = await sql`select 1 from file_parts`.execute(database.kysely)
  await database.close()
  expect(rows[0]!.total).toBeGreaterThan(400)
  for (const { total, made, texts, vectors } of rows) expect([made, texts, vectors]).toEqual([total, total, total])
  expect(rows).toHaveLength(3)
  expect(parts).toEqual([])
})
