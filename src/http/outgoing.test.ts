import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RawJson } from '../lib/json.ts'
import { type Sheet, takeSheet, writeText } from '../lib/sheet.ts'
import { addSlice, slicesOf } from '../lib/slices.ts'
import { addHeaders } from './headers.ts'
import { bodyOf } from './outgoing.ts'

const app = fastify().setReplySerializer((payload) => bodyOf(payload) as unknown as string)
/** What comes before the answer. */
let before = async (_response: ServerResponse): Promise<unknown> => undefined
let answered: PromiseWithResolvers<ServerResponse>
let sheet: Sheet
let port: number

/** More than the system takes from us while nobody reads. */
const LONG = 40_000_000

beforeAll(async () => {
  addHeaders(app)
  app.decorateRequest('publicPath', '')
  app.get('/whole', async (_request, { raw }) => {
    await before(raw)
    sheet = takeSheet()
    writeText(sheet, `"${'x'.repeat(LONG)}"`)
    answered.resolve(raw)
    return new RawJson(sheet)
  })
  app.get<{ Querystring: { digit: string; times: number } }>('/slices', async ({ query }, { raw }) => {
    await before(raw)
    sheet = takeSheet()
    const { from, to } = writeText(sheet, `"${query.digit.repeat(333_333)}é"`)
    const text = slicesOf(sheet)
    addSlice(text, from, from + 1)
    for (let n = 0; n < query.times; n++) addSlice(text, from + 1, to - 1)
    addSlice(text, to - 1, to)
    answered.resolve(raw)
    return new RawJson(text)
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.server.address() as AddressInfo).port
})
afterAll(() => app.close())

const ask = (path: string) => {
  answered = Promise.withResolvers()
  const client = connect(port, '127.0.0.1')
  client.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  return client
}

describe.each([
  ['in one piece', '/whole'],
  ['in several', '/slices?digit=1&times=120'],
])('the sheet an answer lies on, %s, is left to others', (_, path) => {
  test('when it has been read', async () => {
    before = async () => {}
    const client = ask(path).resume()
    const response = await answered.promise
    expect(sheet.length).toBeGreaterThan(0)
    await once(response, 'close')
    expect(sheet.length).toBe(0)
    client.destroy()
  })

  test('when its reader goes while it is on its way', async () => {
    before = async () => {}
    const client = ask(path)
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
    const client = ask(path)
    await gone.promise
    client.destroy()
    await answered.promise
    // The answer goes its way to no one in this turn of the event loop, and the sheet is left at its end.
    while (sheet.length > 0) await turn()
    expect(sheet.bytes.length).toBe(0)
  })
})

describe('an answer in several pieces', () => {
  const path = (digit: number, times: number) => `http://127.0.0.1:${port}/slices?digit=${digit}&times=${times}`
  const textOf = (digit: number, times: number) => `"${`${String(digit).repeat(333_333)}é`.repeat(times)}"`
  beforeAll(() => {
    before = async () => {}
    answered = Promise.withResolvers()
  })

  test('comes whole and its own, whatever its length, beside others and read slowly or at once', async () => {
    const texts = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const [digit, times] = [n % 10, 3 * n]
        const answer = await fetch(path(digit, times))
        if (n % 2) return answer.text()
        const read: Buffer[] = []
        for await (const bytes of Readable.fromWeb(answer.body as never)) {
          read.push(bytes)
          await turn()
        }
        return Buffer.concat(read).toString()
      }),
    )
    expect(texts.every((text, n) => text === textOf(n % 10, 3 * n))).toBe(true)
  })

  test('tells its length, and what it is, before it comes, and alone to who asks for that', async () => {
    const length = String(Buffer.byteLength(textOf(1, 10)))
    for (const method of ['HEAD', 'GET']) {
      const answer = await fetch(path(1, 10), { method })
      expect([answer.headers.get('content-length'), answer.headers.get('content-type')]).toEqual([
        length,
        'application/json; charset=utf-8',
      ])
      expect((await answer.text()).length > 0).toBe(method === 'GET')
    }
  })

  test('leaves the connection open for the next request', async () => {
    const client = connect(port, '127.0.0.1')
    const request = (connection: string) =>
      `GET /slices?digit=7&times=9 HTTP/1.1\r\nHost: localhost\r\nConnection: ${connection}\r\n\r\n`
    client.write(request('keep-alive') + request('close'))
    const read = Buffer.concat(await client.toArray()).toString()
    const [, ...bodies] = read.split(/HTTP\/1\.1 200 OK\r\n(?:.+\r\n)+\r\n/)
    expect(bodies.map((body) => body === textOf(7, 9))).toEqual([true, true])
  })
})
