import Letta, { toFile } from '@letta-ai/letta-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LettaServer, refused, startLetta, UNKNOWN } from './client.ts'

/** The methods of the SDK this server has no operation for. One that gets an operation gets a test, and leaves. */
const ABSENT = ['environments.list', 'environments.retrieve', 'environments.sendMessage']

type Method = (...args: unknown[]) => Promise<unknown>

/** Every method of a resource of the SDK and of the resources in it, by its path from the client. */
function methodsOf(resource: object, path = ''): [string, Method][] {
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(resource))
    .filter((name) => name !== 'constructor')
    .map((name): [string, Method] => {
      const method = (resource as Record<string, Method>)[name]!
      return [path + name, method.bind(resource)]
    })
  return [...own, ...resourcesOf(resource).flatMap(([name, inner]) => methodsOf(inner, `${path}${name}.`))]
}

const resourcesOf = (holder: object) =>
  Object.entries(holder).filter(([name, value]) => /^[a-z]/.test(name) && value?._client) as [string, object][]

let server: LettaServer
let methods: Map<string, () => Promise<unknown>>
beforeAll(async () => {
  server = await startLetta()
  const agent_id = (await server.alice.agents.create({ name: 'Agent' })).id
  const folder_id = (await server.alice.folders.create({ name: 'Folder' })).id
  const archive_id = (await server.alice.archives.create({ name: 'Archive' })).id
  const ids: Record<string, string> = { agentID: agent_id, folderID: folder_id, archiveID: archive_id }
  const fields = {
    agent_id,
    folder_id,
    archive_id,
    mcp_server_id: `mcp_server-${UNKNOWN}`,
    messages: [{ role: 'user', content: 'Hello' }],
    text: 'x',
    query: 'x',
    file: await toFile(Buffer.from('x'), 'x.txt'),
  }
  /** The argument of a parameter: an id, or an object with the fields of every method. */
  const argumentFor = (name: string) =>
    name === 'options' ? undefined : /(ID|Name|Label|Version|token)$/.test(name) ? (ids[name] ?? 'x') : fields
  methods = new Map(
    resourcesOf(server.alice)
      .flatMap(([name, resource]) => methodsOf(resource, `${name}.`))
      .map(([path, method]) => {
        const [, parameters] = /\(([^)]*)\)/.exec(sourceOf(server.alice, path))!
        const args = parameters!.split(',').map((parameter) => argumentFor(parameter.split('=')[0]!.trim()))
        return [path, () => method(...args)]
      }),
  )
})
afterAll(() => server.close())

/** The source of a method, which names its parameters. */
function sourceOf(client: Letta, path: string): string {
  const method = path.split('.').reduce<unknown>((holder, name) => (holder as Record<string, unknown>)[name], client)
  return String(method)
}

const NO_OPERATION = /^404 There is nothing at \/letta\/v1\/\S+\.$/

test.each(ABSENT)('%s is a 404', async (path) => {
  await refused(methods.get(path)!(), Letta.NotFoundError, NO_OPERATION)
})

test('every other method of the SDK reaches an operation', async () => {
  const others = [...methods.keys()].filter((path) => !ABSENT.includes(path))
  expect(others).toHaveLength(methods.size - ABSENT.length)
  for (const path of others) {
    const message = await methods.get(path)!().then(
      () => '',
      (error: Error) => error.message,
    )
    expect([path, message]).not.toEqual([path, expect.stringMatching(NO_OPERATION)])
  }
})
