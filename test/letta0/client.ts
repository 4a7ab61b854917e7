import { LettaClient, LettaError } from 'letta-client-0'
import { afterAll, afterEach, beforeAll, expect, vi } from 'vitest'
import { startTestServer, type TestServer } from '../server.ts'

/** A listening server, and the older SDK for two tenants. Empty until the first hook has run. */
export interface Older {
  server: TestServer
  alice: LettaClient
  bob: LettaClient
  /** The SDK with this key. */
  as(key: string): LettaClient
}

/** The SDK's warning of an agent without an embedding model, for which the Letta server has null, too. */
const NO_EMBEDDING = /^Failed to validate\.\s+- response\S*\.embedding_config: Expected object\. Received null\.$/

/** Starts a server for all tests of a file. A test fails when the SDK warns of an unexpected response. */
export function olderSdk(settings?: Parameters<typeof startTestServer>[0]): Older {
  const older = {} as Older
  const warn = vi.spyOn(console, 'warn')
  beforeAll(async () => {
    const server = await startTestServer(settings)
    const origin = await server.app.listen({ port: 0, host: '127.0.0.1' })
    const as = (token: string) => new LettaClient({ baseUrl: `${origin}/letta`, token })
    Object.assign(older, { server, as, alice: as(server.alice.key), bob: as(server.bob.key) })
  })
  afterEach(() => {
    expect(warn.mock.calls.flat().filter((warning) => !NO_EMBEDDING.test(warning))).toEqual([])
  })
  afterAll(() => older.server.close())
  return older
}

/** Expects a request to throw, and returns the error. */
export const thrownBy = (request: Promise<unknown>): Promise<LettaError> =>
  request.then(
    () => expect.fail('The request succeeded.'),
    (thrown) => thrown,
  )

/** The SDK's error for a request that must be refused with this status; `text` is in the server's message. */
export async function refused(request: Promise<unknown>, statusCode: number, text: string | RegExp = '') {
  const error = await thrownBy(request)
  expect(error).toBeInstanceOf(LettaError)
  expect(error.statusCode).toBe(statusCode)
  expect(error.body).toMatchObject({ status: statusCode, message: expect.stringMatching(text) })
  expect(error.message).toContain(`Status code: ${statusCode}`)
  return error
}

/** The ids on the pages of a list, two on each, from its beginning to its end and back. */
export async function pages(
  list: (page: { limit: number; after?: string; before?: string }) => Promise<{ id?: string }[]>,
) {
  const idsOf = (rows: { id?: string }[]) => rows.map(({ id }) => id!)
  const forward: string[][] = []
  for (let after: string | undefined; ; after = forward.at(-1)!.at(-1)) {
    const ids = idsOf(await list({ limit: 2, ...(after && { after }) }))
    if (ids.length === 0) break
    forward.push(ids)
  }
  const backward: string[] = []
  for (let before = forward.at(-1)!.at(-1); ; before = backward[0]) {
    const ids = idsOf(await list({ limit: 2, ...(before && { before }) }))
    if (ids.length === 0) break
    backward.unshift(...ids)
  }
  expect([...backward, forward.at(-1)!.at(-1)]).toEqual(forward.flat())
  return forward.flat()
}

export const EMBEDDING = 'openai/text-embedding-3-small'
export const MODEL = { model: 'openai/gpt-4o-mini', embedding: EMBEDDING }

/** An id of this kind that doesn't exist. */
export const unknown = (prefix: string) => `${prefix}-00000000-0000-4000-8000-000000000000`

/** The source code of a tool. */
export const sourceOf = (name: string) => `def ${name}(sides: int) -> int:
    """Rolls a die.

    Args:
        sides (int): How many sides it has.
    """
    return sides
`
