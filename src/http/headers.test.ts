import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encode, RawJson } from '../lib/json.ts'
import { type Sheet, takeSheet, writeText } from '../lib/sheet.ts'
import { addHeaders } from './headers.ts'

// The headers themselves are tested with the resources that have them.
describe('the sheet an answer was put together on is left to others', () => {
  const app = fastify().setReplySerializer((payload) => encode(payload) as unknown as string)
  /** What comes before the answer. */
  let before: (response: ServerResponse) => Promise<unknown>
  let sheet: Sheet
  let port: number

  beforeAll(async () => {
    addHeaders(app)
    app.decorateRequest('publicPath', '')
    app.get('/', async (_request, { raw }) => {
      await before(raw)
      sheet = takeSheet()
      // More than the system takes from us while nobody reads.
      writeText(sheet, `"${'x'.repeat(40_000_000)}"`)
      answered.resolve(raw)
      return new RawJson(sheet)
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
    port = (app.server.address() as AddressInfo).port
  })
  afterAll(() => app.close())

  let answered: PromiseWithResolvers<ServerResponse>
  const ask = () => {
    answered = Promise.withResolvers()
    const client = connect(port, '127.0.0.1')
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
    return client
  }

  test('when it has been read', async () => {
    before = async () => {}
    const client = ask().resume()
    const response = await answered.promise
    expect(sheet.length).toBeGreaterThan(0)
    await once(response, 'close')
    expect(sheet.length).toBe(0)
    client.destroy()
  })

  test('when its reader goes while it is on its way', async () => {
    before = async () => {}
    const client = ask()
    const response = await answered.promise
    await once(client, 'readable')
    expect(sheet.length).toBeGreaterThan(0)
    client.destroy()
    await once(response, 'close')
    expect(sheet.length).toBe(0)
  })

  test('when its reader has gone before there was one', async () => {
    const gone = Promise.withResolvers<void>()
    before = async (response) => {
      gone.resolve()
      await once(response, 'close')
    }
    const client = ask()
    await gone.promise
    client.destroy()
    await answered.promise
    // The answer goes its way to no one in this turn of the event loop, and the sheet is left at its end.
    while (sheet.length > 0) await new Promise(setImmediate)
    expect(sheet.bytes.length).toBe(0)
  })
})
