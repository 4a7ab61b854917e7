import { randomUUID } from 'node:crypto'
import { createServer, request } from 'node:http'
import Letta from '@letta-ai/letta-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { caller, createMigratedStore, type Server, type Store } from '../process.ts'

let store: Store
let server: Server
beforeAll(async () => {
  store = await createMigratedStore()
  server = await store.serve()
})
afterAll(() => store.drop())

/** A proxy that forwards requests and withholds the first `withheld` responses; it reports their arrival. */
async function startProxy(target: string, withheld: number) {
  const kept: Promise<void>[] = []
  let requests = 0
  const proxy = createServer((incoming, outgoing) => {
    const n = requests++
    const arrived = Promise.withResolvers<void>()
    if (n < withheld) kept.push(arrived.promise)
    const { method, url, headers } = incoming
    const onward = request(target + url, { method, headers }, (answer) => {
      if (n < withheld) answer.resume().on('end', arrived.resolve)
      else answer.pipe(outgoing.writeHead(answer.statusCode!, answer.headers))
    })
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => proxy.listen(0, 'localhost', resolve))
  return {
    url: `http://localhost:${(proxy.address() as { port: number }).port}`,
    kept,
    requests: () => requests,
    async close() {
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
    },
  }
}

test('a create that the SDK sends three times after timeouts makes one row', async () => {
  const name = randomUUID()
  const proxy = await startProxy(server.url, 2)
  try {
    const client = new Letta({ apiKey: server.key!, baseURL: proxy.url })
    const made = await client.archives.create({ name }, { timeout: 2_000 })
    await Promise.all(proxy.kept)
    expect(proxy.requests()).toBe(3)
    const rows = (await caller(server.url, server.key!)('GET', `/v1/archives/?name=${name}`)).body
    expect(rows).toEqual([expect.objectContaining({ id: made.id, name })])
  } finally {
    await proxy.close()
  }
})

test('two equal creates of the SDK, without a retry, make two rows', async () => {
  const name = randomUUID()
  const client = new Letta({ apiKey: server.key!, baseURL: server.url })
  const [one, two] = [await client.archives.create({ name }), await client.archives.create({ name })]
  expect(one.id).not.toBe(two.id)
})

test('the SDK does not retry a lasting conflict', async () => {
  const name = randomUUID()
  let sent = 0
  const client = new Letta({
    apiKey: server.key!,
    baseURL: server.url,
    fetch: (...args) => {
      sent++
      return fetch(...args)
    },
  })
  await client.folders.create({ name })
  await expect(client.folders.create({ name })).rejects.toMatchObject({ status: 409 })
  expect(sent).toBe(2)
})
