import Letta from '@letta-ai/letta-client'
import { afterAll, beforeAll, expect } from 'vitest'
import { startTestServer } from '../server.ts'

type Settings = Parameters<typeof startTestServer>[0]

export const UNKNOWN = '00000000-0000-4000-8000-000000000000'

/** A listening server, and the SDK of the Letta API for Alice and for Bob, who belongs to another organization. */
export async function startLetta(settings?: Settings) {
  const server = await startTestServer(settings)
  const origin = await server.app.listen({ port: 0, host: 'localhost' })
  const client = (apiKey: string) => new Letta({ apiKey, baseURL: `${origin}/letta` })
  return {
    client,
    /** Alice on the server's own API, for requests that this SDK has no methods for. */
    neutral: server.alice,
    organizations: server.organizations,
    alice: client(server.alice.key),
    bob: client(server.bob.key),
    /** Runs all due background jobs, such as reading files. */
    settle: server.settle,
    close: server.close,
  }
}
export type LettaServer = Awaited<ReturnType<typeof startLetta>>

/** Such a server for all tests of a file: started before them, closed after them. Empty until the first hook has run. */
export function useLetta(settings?: Settings): LettaServer {
  const server = {} as LettaServer
  beforeAll(async () => {
    Object.assign(server, await startLetta(settings))
  })
  afterAll(() => server.close())
  return server
}

/** All items of the auto-pager. */
export async function all<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of pages) items.push(item)
  return items
}

type ApiErrorClass = new (...args: never[]) => InstanceType<typeof Letta.APIError>

/** Expects the SDK to throw this class of error with this message. Returns the error. */
export async function refused(call: PromiseLike<unknown>, type: ApiErrorClass, text: string | RegExp) {
  const error = await Promise.resolve(call).then(
    (value) => Promise.reject(new Error(`It succeeds: ${JSON.stringify(value)}`)),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(type)
  const { message, status, error: body } = error as InstanceType<typeof Letta.APIError>
  expect(message).toMatch(text)
  expect(body).toMatchObject({ status, message: message.slice(`${status} `.length) })
  return error as InstanceType<typeof Letta.APIError>
}
