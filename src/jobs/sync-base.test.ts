import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startTestServer } from '../../test/server.ts'
import { KEY, type StandIn, startOpenAi } from '../../test/stand-ins/openai.ts'
import { createEgress } from '../lib/egress.ts'

/** The listing comes when it comes: only one that never does is a failure. */
const LATEST = { timeout: 50_000 }

let acme: StandIn
beforeEach(async () => {
  acme = await startOpenAi()
})
afterEach(() => acme.close())

/** A server that listens, with the stand-in as the operator's provider, and when that was asked first. */
async function listening() {
  const asked = Promise.withResolvers<void>()
  const { otherwise } = acme
  acme.otherwise = (request) => {
    asked.resolve()
    return otherwise(request)
  }
  const base = { name: 'openai', type: 'openai' as const, apiKey: KEY, baseUrl: acme.url }
  const server = await startTestServer({ providers: [base] })
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  return { server, asked: asked.promise }
}

/** The models of providers; the built-in model is always there. */
const LISTED = '/v1/models/?provider_name=openai'

test('a server that listens lists the models of its providers', async () => {
  const { server } = await listening()
  await vi.waitFor(async () => expect((await server.alice.get(LISTED)).body).toHaveLength(3), LATEST)
  await server.close()
})

test('a server that starts again lists them again, however fresh its lists are', async () => {
  const { server } = await listening()
  await vi.waitFor(async () => expect((await server.alice.get(LISTED)).body).toHaveLength(3), LATEST)
  acme.models = ['gpt-new']
  const { registerBaseProviders } = await import('./sync-base.ts')
  const egress = createEgress([])
  const base = { name: 'openai', type: 'openai' as const, apiKey: KEY, baseUrl: acme.url }
  const again = { database: server.database, egress, logger: server.app.log, providers: [base] }
  const started = await registerBaseProviders(again)
  expect((await server.alice.get(LISTED)).body).toHaveLength(3)
  started.startSync()
  await vi.waitFor(async () => expect((await server.bob.get(LISTED)).body).toHaveLength(1), LATEST)
  await started.stop()
  await egress.close()
  await server.close()
})

test('a provider that never answers keeps the server from nothing, not even from ending', async () => {
  acme.otherwise = () => 'never'
  const { server, asked } = await listening()
  await asked
  expect((await server.alice.get(LISTED)).body).toEqual([])
  expect((await server.alice.get('/v1/health/')).body.status).toBe('ok')
  expect((await server.alice.get('/v1/ready/')).body.status).toBe('ok')
  expect((await server.alice.post('/v1/agents/', { model: 'openai/gpt-4o' })).status).toBe(200)
  await server.close()
})

test('a provider that is no longer in the settings is gone with its models', async () => {
  const { server } = await listening()
  await vi.waitFor(async () => expect((await server.bob.get(LISTED)).body).toHaveLength(3), LATEST)
  const { registerBaseProviders } = await import('./sync-base.ts')
  const nothing = { database: server.database, egress: undefined as never, logger: server.app.log, providers: [] }
  await registerBaseProviders(nothing)
  expect((await server.bob.get(LISTED)).body).toEqual([])
  await server.close()
})
