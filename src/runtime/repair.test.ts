import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { imported } from '../../test/agent-export.ts'
import { type Client, useTestServer } from '../../test/server.ts'
import { callOf } from '../../test/tool-calls.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
let alice: Client
beforeAll(() => {
  alice = server.alice
})

const say = async (id: string, input: string) => {
  const { status, body } = await alice.post(`/v1/agents/${id}/messages`, { input })
  expect(status).toBe(200)
  return body.messages
}
type Message = Record<string, string>
const listed = async (id: string): Promise<Message[]> =>
  (await alice.get(`/v1/agents/${id}/messages?order=asc&limit=100`)).body
const inContext = async (id: string): Promise<string[]> => (await alice.get(`/v1/agents/${id}`)).body.message_ids

/** An agent that has called a tool. */
async function makeCaller(): Promise<string> {
  const { id } = (await alice.post('/v1/agents/', { memory_blocks: [{ label: 'human', value: 'Ada' }] })).body
  await say(id, callOf('memory_insert', { label: 'human', new_string: 'Tea.' }))
  return id
}

describe('a history that no provider takes', () => {
  test.each([
    ['a call without its return', 'tool', (texts: Message[]) => texts.filter((one) => one.status === 'error')],
    [
      'a return without its call',
      'assistant',
      (texts: Message[]) => texts.filter((one) => one.content?.startsWith('[tool return]')),
    ],
  ])('with %s is repaired once, and its agent answers', async (_, role, repairs) => {
    const id = await makeCaller()
    // The first message of the role: the call, or its return.
    await sql`delete from messages where agent_id = ${id} and role = ${role}
      and (tool_calls is not null or tool_returns is not null)`.execute(server.database.kysely)
    await say(id, 'Hello')
    expect(repairs(await listed(id))).toHaveLength(1)
    const context = await inContext(id)
    await say(id, 'And now?')
    expect(repairs(await listed(id))).toHaveLength(1)
    expect((await inContext(id)).slice(0, context.length)).toEqual(context)
  })
})

describe('an agent from a file without a system prompt', () => {
  const FILE = {
    agents: [
      {
        id: 'agent-0',
        name: 'Silent',
        system: 'You help.',
        messages: [
          {
            id: 'message-0',
            role: 'user',
            content: [{ type: 'text', text: 'Hi.' }],
            created_at: '2026-01-01T00:00:00Z',
          },
        ],
        in_context_message_ids: ['message-0'],
      },
    ],
  }

  test('has one, which can be compiled anew, before its first message', async () => {
    const [id] = await imported(alice, FILE as never)
    expect((await alice.post(`/v1/agents/${id}/recompile`)).body).toContain('You help.')
    expect((await listed(id!)).map(({ message_type }) => message_type)).toEqual(['system_message', 'user_message'])
    expect(await inContext(id!)).toHaveLength(2)
  })

  test.each(['recompile', 'message'])('of before gets one by its first %s', async (by) => {
    const { id } = (await alice.post('/v1/agents/', { system: 'You help.' })).body
    await sql`update threads set message_ids = '[]' where id = ${id}`.execute(server.database.kysely)
    if (by === 'recompile') expect((await alice.post(`/v1/agents/${id}/recompile`)).body).toContain('You help.')
    else await say(id, 'Hello')
    const [first] = await inContext(id)
    const { body } = await alice.get(`/v1/messages/${first}`)
    expect(body[0]).toMatchObject({ message_type: 'system_message', content: expect.stringContaining('You help.') })
  })
})
