import { request } from 'node:http'
import { beforeAll, expect, test, vi } from 'vitest'
import { caller, createMigratedStore, refusal } from '../process.ts'
import { startTestServer, type TestServer, useTestServer } from '../server.ts'

// Starts of real servers, on a machine that may be busy.
vi.setConfig({ testTimeout: 180_000 })

const server = useTestServer()

/** Serves on a port for Letta clients alone, and returns its base URL. */
const listen = async ({ app }: TestServer) => `http://localhost:${await app.listenForLetta(0, 'localhost')}`

let base: string
beforeAll(async () => {
  base = await listen(server)
})

test('the port for Letta clients serves their API at its root: no path a client builds loses a prefix', async () => {
  const { alice, bob } = server
  const call = caller('', alice.key)
  const url = new URL('/v1/agents/', `${base}/api`).href
  const made = await call('POST', url, { name: 'Ada', agent_type: 'letta_v1_agent', colour: 'red' })
  expect(made).toMatchObject({ status: 200, body: { agent_type: 'letta_v1_agent' } })
  await call('POST', url, { name: 'Bo' })
  const listed = await call('GET', `${url}?limit=1&order=asc`)
  expect(listed.body).toEqual([made.body])
  const next = /<([^>]+)>/.exec(listed.headers.get('link')!)![1]!
  expect(next).toMatch(/^\/v1\/agents\/\?/)
  expect((await call('GET', base + next)).body).toMatchObject([{ name: 'Bo' }])
  for (const path of ['/letta/v1/agents/', '//v1//agents', '//letta///v1/agents//']) {
    expect((await call('GET', `${base}${path}?name=Ada`)).body).toEqual([made.body])
  }
  expect((await call('GET', `${base}/v1/nothing`)).body.detail).toBe('There is nothing at /v1/nothing.')
  expect((await caller('', bob.key)('GET', `${url}${made.body.id}`)).status).toBe(404)
  expect((await call('GET', `${base}/v1/agents/`, undefined, { authorization: 'Bearer x' })).status).toBe(401)
})

test('doubled slashes in a path count as one, on both surfaces; in a query they are data', async () => {
  const { alice } = server
  await alice.post('/v1/archives/', { name: 'a//b' })
  for (const path of ['//v1/archives', '/v1//archives/', '//letta//v1//archives/', '/letta//v1/archives']) {
    expect((await alice.get(`${path}?name=a//b`)).body).toMatchObject([{ name: 'a//b' }])
    expect((await alice.get(`${path}?name=a/b`)).body).toEqual([])
  }
})

test('a closing server responds to the requests of the port for Letta clients before it ends', async () => {
  const closing = await startTestServer()
  const url = `${await listen(closing)}/v1/blocks/`
  const idle = await fetch(url, { headers: { authorization: `Bearer ${closing.alice.key}` } })
  expect(await idle.json()).toEqual([])
  const body = JSON.stringify({ label: 'human', value: 'x' })
  const sending = request(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${closing.alice.key}`,
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    },
  })
  sending.flushHeaders()
  await new Promise((resolve) => sending.once('continue', resolve))
  const closed = closing.close()
  await expect
    .poll(() =>
      fetch(url).then(
        () => 'open',
        () => 'closed',
      ),
    )
    .toBe('closed')
  sending.end(body)
  const status = await new Promise((resolve, reject) => {
    sending.once('response', (response) => resolve([response.resume().statusCode, response.headers.connection]))
    sending.once('error', reject)
  })
  expect(status).toEqual([200, 'close'])
  await closed
})

test('the setting CAIRN_LETTA_PORT opens the port, and the start prints its address', async () => {
  const store = await createMigratedStore()
  const other = await createMigratedStore()
  try {
    const started = await store.serve({ CAIRN_LETTA_PORT: '0' })
    const [, address] = await started.line(/^Letta +(http:\S+)$/)
    expect(address).not.toBe(started.url)
    const made = await caller(address!, started.key!)('POST', '/v1/agents', { agent_type: 'letta_v1_agent' })
    expect(made).toMatchObject({ status: 200, body: { agent_type: 'letta_v1_agent' } })
    const neutral = await caller(started.url, started.key!)('GET', `/v1/agents/${made.body.id}`)
    expect(neutral.body.agent_type).toBe('svc_v1_agent')
    const { port } = new URL(base)
    const taken = { CAIRN_LETTA_PORT: port }
    await refusal(other, [['node', 'src/main.ts'], taken], `Port ${port} is in use`, /CAIRN_LETTA_PORT/)
    expect(await started.kill('SIGTERM')).toMatchObject({ code: 0 })
  } finally {
    await store.drop()
    await other.drop()
  }
})
