import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { startTestServer, type TestServer } from '../server.ts'
import { agrees } from './count.ts'
import { play, recordingsExist, scenarios, settingsFor, startModel } from './play.ts'

/** Where the recordings are: a clone of the repository alone has none. */
const played = recordingsExist() ? scenarios() : []

describe.runIf(played.length > 0)('a client of the retired server gets the same responses', () => {
  let model: Awaited<ReturnType<typeof startModel>>
  let server: TestServer
  let url: string
  beforeAll(async () => {
    model = await startModel()
    const { providers, allowedNetworks } = readConfig(settingsFor(model.url))
    server = await startTestServer({ providers, allowedNetworks })
    url = await server.app.listen({ port: 0, host: '127.0.0.1' })
    await server.app.workers.start()
  })
  afterAll(async () => {
    await server.close()
    model.close()
  })

  test.for(played)('%s', async (scenario) => {
    for await (const agreement of play({ url, key: server.alice.key }, model.url, [scenario])) {
      expect(agreement.differences).toEqual([])
      expect(agrees(agreement)).toBe(true)
    }
  })
})
