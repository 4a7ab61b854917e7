import { sql } from 'kysely'
import pg from 'pg'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { scriptedModel } from '../../test/embedders.ts'
import { upload } from '../../test/forms.ts'
import { type Client, useTestServer } from '../../test/server.ts'
import { openJobs } from '../db/jobs.ts'
import { lexical } from '../embed/lexical.ts'
import { ApiError } from '../lib/errors.ts'
import type { Embedders } from '../resources/models/embedding.ts'
import { embedContainer } from './embed-container.ts'
import { processFile } from './process-file.ts'
import { createWorkers } from './workers.ts'

const DOWN = 'The embedding model does not answer.'
const down: Embedders = {
  of: async () => {
    throw new ApiError('bad_gateway', DOWN)
  },
}

const server = useTestServer()

const run = (statement: ReturnType<typeof sql>) => statement.execute(server.database.kysely)

/** Another server on the same database does what is due, until it ends. */
async function serve(embedders: Embedders, embed_container = embedContainer(embedders)) {
  // It looks for what others left as soon as it starts, and doesn't go by what one of them saw at its own time.
  await run(sql`update jobs.queue set monitor_on = now() - interval '1 hour', singletons_active = null`)
  const jobs = await openJobs(server.database, { supervise: false })
  const scopeOf = ({ organizationId }: { organizationId: string }) => server.scopeOf(organizationId)
  const work = { process_file: processFile(embedders), embed_container }
  const workers = await createWorkers(jobs, scopeOf, work, pino({ level: 'silent' }))
  await workers.runDue()
  await workers.stop()
}

/** The server that was at this job, for the last time it is tried, has died a while ago. */
async function dieAtTheLastTry(key: string) {
  const { boss } = await openJobs(server.database, { supervise: false })
  const { rows } = (await run(sql`
    update jobs.job set state = 'active', retry_count = retry_limit, started_on = now() - interval '1 hour',
      heartbeat_on = now() - interval '1 hour'
    where singleton_key = ${key} and state < 'active' returning id`)) as { rows: unknown[] }
  expect(rows).toHaveLength(1)
  await run(sql`update jobs.queue set maintain_on = now() - interval '1 hour'`)
  await boss.stop({ graceful: false, close: false })
}

async function uploaded(client: Client) {
  const folder = (await client.post('/v1/folders/', { name: `F${Math.random()}` })).body.id
  const { id } = (await upload(client, folder, 'a.txt', 'Some text.')).body
  return { id, file: async () => (await client.get(`/v1/folders/${folder}/files/${id}`)).body }
}

/** An archive whose passages have still to be embedded. */
async function archiveOf(client: Client) {
  const { id } = (await client.post('/v1/archives/', { name: 'A', embedding: 'cairn/lexical' })).body
  const url = `/v1/archives/${id}`
  await client.post(`${url}/passages`, { text: 'One' })
  await client.patch(url, { embedding_config: scriptedModel('other') })
  return { id, url, state: async () => (await client.get(`${url}/embedding`)).body }
}

test.each(['alice', 'bob'] as const)('a file whose server died at the last try tells so (%s)', async (name) => {
  const { id, file } = await uploaded(server[name])
  const other = await uploaded(server[name === 'alice' ? 'bob' : 'alice'])
  await dieAtTheLastTry(id)
  await serve({ of: async () => lexical })
  const error_message = expect.stringMatching(/a fault of the server/)
  expect(await file()).toMatchObject({ id, processing_status: 'error', error_message })
  expect(await other.file()).toMatchObject({ processing_status: 'completed' })
})

test('an archive whose server died at the last try tells so, and can be tried again', async () => {
  const { id, url, state } = await archiveOf(server.alice)
  await dieAtTheLastTry(id)
  await serve(down)
  expect(await state()).toMatchObject({ status: 'failed', error_message: expect.stringMatching(/error of the server/) })
  expect((await server.alice.post(`${url}/embedding`)).body).toMatchObject({ status: 'embedding' })
  await serve(down)
  expect(await state()).toMatchObject({ status: 'failed', error_message: DOWN })
})

test('what was given up leaves the word to the work that came after it', async () => {
  const { id, url, state } = await archiveOf(server.alice)
  await dieAtTheLastTry(id)
  // Asked for anew before anybody noticed.
  expect((await server.alice.post(`${url}/embedding`)).body).toMatchObject({ status: 'embedding' })
  await server.alice.patch(url, { embedding: 'cairn/lexical' })
  await server.settle()
  expect((await state()).status).toBe('ready')
  await serve(down)
  expect(await state()).toMatchObject({ status: 'ready', total: 1, embedded: 1 })
})

test('what is to be done once a job is given up is done when it fails at first', async () => {
  const { state } = await archiveOf(server.alice)
  const real = embedContainer(down)
  const given: (string | undefined)[] = []
  await serve(down, {
    ...real,
    async onExhausted(scope, data, reason) {
      given.push(reason)
      if (given.length < 3) throw new Error('The database was away.')
      await real.onExhausted!(scope, data, reason)
    },
  })
  expect(given).toEqual([DOWN, DOWN, DOWN])
  expect(await state()).toMatchObject({ status: 'failed', error_message: DOWN })
})

test('jobs of another server are all done, and one statement at a time looks for more', {
  timeout: 60_000,
}, async () => {
  const query = vi.spyOn(pg.Client.prototype, 'query')
  const sent = (part: string) => query.mock.calls.filter((args) => JSON.stringify(args[0]).includes(part)).length
  const done: string[] = []
  const handler = async (_: unknown, { container_id }: { container_id: string }) => void done.push(container_id)
  const [own, other] = [
    await openJobs(server.database, { supervise: false }),
    await openJobs(server.database, { supervise: false }),
  ]
  const work = { embed_container: { handler, concurrency: 2 } }
  const scope = server.scopeOf(server.organizations.alice)
  const workers = await createWorkers(own, () => scope, work, pino({ level: 'silent' }))
  try {
    await workers.start()
    const keys = ['one', 'two', 'three', 'four', 'five']
    const list = keys.map((key) => ({ data: { container_id: key }, key }))
    await other.add(undefined, scope.actor, 'embed_container', list)
    await vi.waitUntil(() => done.length === keys.length, { timeout: 30_000 })
    expect(done.toSorted()).toEqual(keys.toSorted())
    const looked = async (count: number) => vi.waitUntil(() => sent('unnest') >= count, { timeout: 30_000 })
    await looked(sent('unnest') + 1)
    const [looks, fetches] = [sent('unnest'), sent('SKIP LOCKED')]
    expect(fetches).toBeGreaterThan(0)
    await looked(looks + 1)
    expect(sent('SKIP LOCKED')).toBe(fetches)
  } finally {
    await workers.stop()
    await other.close()
    query.mockRestore()
  }
})
