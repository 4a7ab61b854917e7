import { inspect } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { KEY, type Otherwise, type StandIn, startOpenAi } from '../../test/stand-ins/openai.ts'
import { measureDimension } from '../embed/remote.ts'
import { createEgress } from '../lib/egress.ts'
import { ApiError } from '../lib/errors.ts'
import type { Connection } from './connection.ts'
import { isFinal, refusedWith, unreached } from './connection.ts'
import { listModels } from './listing.ts'

let acme: StandIn
const egress = createEgress(['loopback'])
beforeAll(async () => {
  acme = await startOpenAi()
})
afterEach(() => {
  acme.otherwise = () => undefined
})
afterAll(async () => {
  await acme.close()
  await egress.close()
})

const connection = (): Connection => ({
  name: 'acme',
  type: 'openai',
  url: acme.url,
  apiKey: KEY,
  fetch: egress.fetch,
})

const asking: [string, (signal: AbortSignal) => Promise<unknown>][] = [
  ['for its models', (signal) => listModels(connection(), signal)],
  ['for a vector', (signal) => measureDimension(connection(), { endpointType: 'openai', model: 'acme-embed' }, signal)],
]

describe.each(asking)('a provider asked %s', (_, ask) => {
  const failure = (ms = 10_000) =>
    ask(AbortSignal.timeout(ms)).then(
      () => expect.unreachable(),
      (error) => error,
    )

  test('that accepts the connection and never answers takes too long', async () => {
    acme.otherwise = () => 'never'
    expect(await failure(50)).toMatchObject({
      status: 502,
      passing: true,
      message: 'acme cannot be reached: it takes too long.',
    })
  })

  const echo = `Your key ${KEY} is of no use.`
  test.each<[string, Otherwise]>([
    ['refuses', { status: 401, body: { error: { message: echo } } }],
    ['is broken', { status: 500, body: echo }],
    ['limits', { status: 429, headers: { 'retry-after': '1', 'x-echo': KEY }, body: { error: { message: echo } } }],
    ['answers with a text', { status: 200, body: echo }],
    ['answers with another shape', { status: 200, body: { said: echo } }],
  ])('that %s and repeats the key has none of its words kept, not even for the log', async (_case, answer) => {
    acme.otherwise = () => answer
    const error = await failure()
    expect(error.status).toBe(502)
    expect(inspect(error, { depth: 10, showHidden: true })).not.toMatch(new RegExp(`${KEY}|of no use`))
  })
})

test('asking again is of use where the fault may pass by itself, and nowhere else', () => {
  const outcome = (status: number) => [status, isFinal(refusedWith('acme', status))]
  for (const status of [400, 401, 403, 404, 422]) expect(outcome(status)).toEqual([status, true])
  for (const status of [408, 429, 500, 502, 503]) expect(outcome(status)).toEqual([status, false])
  expect(isFinal(unreached('acme', new TypeError('fetch failed')))).toBe(false)
  expect(isFinal(new ApiError('invalid', 'There is no such model.'))).toBe(true)
  expect(isFinal(new ApiError('unavailable', 'The database is away.'))).toBe(false)
  expect(isFinal(new Error('A fault of ours.'))).toBe(false)
})
