import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Rendered } from '../db/render/rendered.ts'
import { addHeaders } from './headers.ts'
import { bodyOf } from './outgoing.ts'

const app = fastify().setReplySerializer((payload) => bodyOf(payload) as unknown as string)
let port: number

beforeAll(async () => {
  addHeaders(app)
  app.decorateRequest('publicPath', '')
  app.get<{ Querystring: { digit: string; times: number } }>('/list', async ({ query }) => {
    const segment = `${query.digit.repeat(333_333)}é`
    return new Rendered(['"', ...Array<string>(Number(query.times)).fill(segment), '"'])
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.server.address() as AddressInfo).port
})
afterAll(() => app.close())

const url = (digit: number, times: number) => `http://127.0.0.1:${port}/list?digit=${digit}&times=${times}`
const textOf = (digit: number, times: number) => `"${`${String(digit).repeat(333_333)}é`.repeat(times)}"`

describe('a long response', () => {
  test('arrives whole, beside others, whether it is read slowly or at once', async () => {
    const texts = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const response = await fetch(url(n % 10, n))
        if (n % 2) return response.text()
        const chunks: Buffer[] = []
        for await (const bytes of Readable.fromWeb(response.body as never)) {
          chunks.push(bytes)
          await turn()
        }
        return Buffer.concat(chunks).toString()
      }),
    )
    expect(texts.every((text, n) => text === textOf(n % 10, n))).toBe(true)
  })

  test('has its length and its type in the headers, and no body for HEAD', async () => {
    const length = String(Buffer.byteLength(textOf(1, 10)))
    for (const method of ['HEAD', 'GET']) {
      const response = await fetch(url(1, 10), { method })
      expect([response.headers.get('content-length'), response.headers.get('content-type')]).toEqual([
        length,
        'application/json; charset=utf-8',
      ])
      expect((await response.text()).length > 0).toBe(method === 'GET')
    }
  })

  test('leaves the connection open for the next request', async () => {
    const client = connect(port, '127.0.0.1')
    const request = (connection: string) =>
      `GET /list?digit=7&times=9 HTTP/1.1\r\nHost: localhost\r\nConnection: ${connection}\r\n\r\n`
    client.write(request('keep-alive') + request('close'))
    const received = Buffer.concat(await client.toArray()).toString()
    const [, ...bodies] = received.split(/HTTP\/1\.1 200 OK\r\n(?:.+\r\n)+\r\n/)
    expect(bodies.map((body) => body === textOf(7, 9))).toEqual([true, true])
  })
})
