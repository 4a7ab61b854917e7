import { type LettaClient, LettaError } from 'letta-client-0'
import { expect, test } from 'vitest'
import { olderSdk, thrownBy, unknown } from './client.ts'

const older = olderSdk()

const [agent, group, message] = ['agent', 'group', 'message'].map(unknown) as [string, string, string]

/** Methods of the SDK that this server doesn't have. */
const ABSENT: Record<string, (letta: LettaClient) => Promise<unknown>> = {
  'agents.messages.modify': ({ agents }) =>
    agents.messages.modify(agent, message, { messageType: 'user_message', content: 'Hello' }),
  'agents.passages.modify': ({ agents }) => agents.passages.modify(agent, unknown('passage')),
  'groups.messages.modify': ({ groups }) =>
    groups.messages.modify(group, message, { messageType: 'user_message', content: 'Hello' }),
  'jobs.list': ({ jobs }) => jobs.list(),
  'jobs.listActive': ({ jobs }) => jobs.listActive(),
  'jobs.retrieve': ({ jobs }) => jobs.retrieve('j'),
  'jobs.delete': ({ jobs }) => jobs.delete('j'),
  'jobs.cancelJob': ({ jobs }) => jobs.cancelJob('j'),
  'voice.createVoiceChatCompletions': ({ voice }) => voice.createVoiceChatCompletions(agent, {}),
}

test.each(Object.keys(ABSENT))('%s says that there is no such thing', async (method) => {
  const error = await thrownBy(ABSENT[method]!(older.alice))
  expect(error).toBeInstanceOf(LettaError)
  expect([404, 405]).toContain(error.statusCode)
  // Where the SDK awaits a stream, the error’s body is one.
  const body = error.body instanceof ReadableStream ? await new Response(error.body).json() : error.body
  expect(body).toMatchObject({
    status: error.statusCode,
    message: expect.stringMatching(/^There is nothing at \/|is not allowed here; use |^A message can't be changed: /),
  })
})

/** Every method of the SDK by its name, such as `agents.blocks.list`. */
function methodsOf(resource: object, name = ''): string[] {
  const members = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(resource))
  return Object.entries(members).flatMap(([member, { get }]) => {
    if (member === 'constructor' || member.startsWith('_')) return []
    if (get) return methodsOf(resource[member as keyof object], `${name}${member}.`)
    return [name + member]
  })
}

test('every SDK method of a future resource is listed as absent', () => {
  // `batches.list` is an empty list until the server has batches.
  const here =
    /^((agents|archives|batches|blocks|chat|clientSideAccessTokens|folders|groups|health|identities|models|projects|providers|runs|sources|steps|tags|telemetry|templates|tools)\.)/
  const all = methodsOf(older.alice)
  expect(all.length).toBeGreaterThan(150)
  expect(Object.keys(ABSENT).filter((method) => !all.includes(method))).toEqual([])
  expect(all.filter((method) => !here.test(method) && !(method in ABSENT))).toEqual([])
})
