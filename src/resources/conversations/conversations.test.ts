import { beforeAll, describe, expect, test } from 'vitest'
import { eventsIn } from '../../../test/replies.ts'
import { type Client, useTestServer } from '../../../test/server.ts'
import { walk } from '../../../test/walk.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
let alice: Client
let bob: Client
beforeAll(() => {
  alice = server.alice
  bob = server.bob
})

const BASE = '/v1/conversations'

async function makeAgent(body: object = {}, client = alice): Promise<string> {
  const reply = await client.post('/v1/agents/', { memory_blocks: [{ label: 'human', value: 'Name: Ada' }], ...body })
  expect(reply.status).toBe(200)
  return reply.body.id
}

async function make(agent: string, body: object = {}, client = alice) {
  const reply = await client.post(`${BASE}/?agent_id=${agent}`, body)
  expect(reply.status).toBe(200)
  return reply.body
}

/** Sends a text, and returns the whole response. */
const say = (id: string, input: string, body: object = {}, client = alice) =>
  client.post(`${BASE}/${id}/messages`, { input, streaming: false, ...body })

const answerOf = async (id: string, input: string, body: object = {}) =>
  (await say(id, input, body)).body.messages.at(-1)

const remember = (text: string) => `!call memory_insert ${JSON.stringify({ label: 'human', new_string: text })}`

const kinds = (messages: { message_type: string }[]) => messages.map(({ message_type }) => message_type)
const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)

describe('a conversation', () => {
  test('is made, listed, changed and deleted; null clears a field', async () => {
    const agent = await makeAgent()
    const settings = { provider_type: 'openai', temperature: 0.5 }
    const made = await make(agent, { summary: 'About tea', model: 'cairn/scripted', model_settings: settings })
    expect(made).toMatchObject({
      agent_id: agent,
      summary: 'About tea',
      isolated_block_ids: [],
      model: 'cairn/scripted',
    })
    expect((await alice.get(`${BASE}/${made.id}`)).body).toEqual(made)
    const { body: listed } = await alice.get(`${BASE}/?agent_id=${agent}`)
    expect(listed).toEqual([{ ...made, in_context_message_ids: [] }])
    const { body: changed } = await alice.patch(`${BASE}/${made.id}`, {
      summary: null,
      model: null,
      model_settings: null,
    })
    for (const field of ['summary', 'model', 'model_settings']) expect(changed).not.toHaveProperty(field)
    expect((await alice.delete(`${BASE}/${made.id}`)).status).toBe(200)
    expect((await alice.get(`${BASE}/${made.id}`)).status).toBe(404)
    expect((await alice.get(`/v1/agents/${agent}`)).status).toBe(200)
  })

  test('of another organization is the 404 of one that is not there', async () => {
    const agent = await makeAgent()
    const { id } = await make(agent)
    expect((await bob.post(`${BASE}/?agent_id=${agent}`, {})).status).toBe(404)
    for (const request of [
      bob.get(`${BASE}/${id}`),
      bob.patch(`${BASE}/${id}`, { summary: 'Mine' }),
      bob.delete(`${BASE}/${id}`),
      bob.post(`${BASE}/${id}/fork`),
      bob.post(`${BASE}/${id}/cancel`),
      bob.get(`${BASE}/${id}/messages`),
      say(id, 'Hello', {}, bob),
      bob.post(`${BASE}/${id}/stream`, {}),
      bob.get(`${BASE}/default/messages?agent_id=${agent}`),
    ]) {
      expect((await request).status).toBe(404)
    }
    expect((await bob.get(`${BASE}/`)).body).toEqual([])
    expect((await alice.get(`${BASE}/${id}`)).body).not.toHaveProperty('summary')
  })

  test.each<[string, object, number]>([
    ['a label that no block of the agent has', { isolated_block_labels: ['nobody'] }, 400],
    ['a model of no provider', { model: 'nobody/nothing' }, 422],
    ['an unknown field', { title: 'Tea' }, 422],
  ])('with %s is refused, and nothing is kept', async (_, body, status) => {
    const agent = await makeAgent()
    expect((await alice.post(`${BASE}/?agent_id=${agent}`, body)).status).toBe(status)
    expect((await alice.get(`${BASE}/?agent_id=${agent}`)).body).toEqual([])
  })

  test('is found by its summary, and by the time of its newest message', async () => {
    const agent = await makeAgent()
    const [tea, coffee, silent] = await Promise.all(
      ['About tea_', 'About coffee', 'Silent'].map((summary) => make(agent, { summary })),
    )
    const find = (part: string) => walk<{ id: string }>(alice, `${BASE}/?agent_id=${agent}&limit=1&${part}`)
    expect(idsOf(await find('summary_search=TEA_'))).toEqual([tea.id])
    await say(coffee.id, 'Hello')
    await say(tea.id, 'Hello')
    for (const key of ['last_message_at', 'last_run_completion']) {
      expect(idsOf(await find(`order_by=${key}`))).toEqual([tea.id, coffee.id, silent.id])
      expect(idsOf(await find(`order_by=${key}&order=asc`))).toEqual([coffee.id, tea.id, silent.id])
    }
  })

  test('is not in the file of its agent, which has the messages of the agent itself', async () => {
    const agent = await makeAgent()
    const { id } = await make(agent)
    await say(id, 'In the conversation')
    await say('default', 'To the agent', { agent_id: agent })
    const file = JSON.stringify((await alice.get(`/v1/agents/${agent}/export`)).body)
    expect(file).toContain('To the agent')
    expect(file).not.toContain('In the conversation')
  })

  test('goes with its agent, its messages and its blocks too', async () => {
    const agent = await makeAgent()
    const {
      id,
      isolated_block_ids: [block],
    } = await make(agent, { isolated_block_labels: ['human'] })
    const { id: message } = await answerOf(id, 'Hello')
    expect((await alice.get(`/v1/blocks/${block}`)).status).toBe(200)
    await alice.delete(`/v1/agents/${agent}`)
    expect((await alice.get(`${BASE}/${id}`)).status).toBe(404)
    expect((await alice.get(`/v1/blocks/${block}`)).status).toBe(404)
    const other = await makeAgent()
    expect((await alice.get(`${BASE}/default/messages?agent_id=${other}&after=${message}`)).status).toBe(404)
  })
})

describe('messages in a conversation', () => {
  test('stream by default, and are apart from those of the agent and of other conversations', async () => {
    const agent = await makeAgent()
    const [one, two] = [await make(agent), await make(agent)]
    const { body, headers } = await alice.post(`${BASE}/${one.id}/messages`, { input: 'My cat is Tom' })
    expect(headers['content-type']).toMatch(/^text\/event-stream/)
    expect(kinds(eventsIn(body as unknown as string))).toEqual([
      'ping',
      'assistant_message',
      'stop_reason',
      'usage_statistics',
    ])
    expect((await answerOf(one.id, 'And my dog is Rex')).content).toContain('My cat is Tom')
    expect((await answerOf(two.id, 'Hello')).content).not.toContain('Tom')
    const { body: kept } = await alice.get(`${BASE}/${one.id}/messages?order=asc`)
    expect(kinds(kept)).toEqual(['system_message', ...Array(2).fill(['user_message', 'assistant_message']).flat()])
    const { body: found } = await alice.get(`${BASE}/${one.id}`)
    expect(found).toMatchObject({ in_context_message_ids: idsOf(kept), last_message_at: expect.any(String) })
    expect((await alice.get(`/v1/agents/${agent}/messages?conversation_id=default`)).body).toHaveLength(1)
    const { body: runs } = await alice.get(`/v1/runs/?conversation_id=${one.id}`)
    expect(runs.map(({ status }: { status: string }) => status)).toEqual(['completed', 'completed'])
  })

  test('come page by page, in both directions, each once, on either surface', async () => {
    const { id } = await make(await makeAgent())
    for (const word of ['one', 'two', 'three']) await say(id, word)
    const all = idsOf((await alice.get(`${BASE}/${id}/messages?order=asc`)).body)
    expect(all).toHaveLength(7)
    for (const prefix of ['', '/letta']) {
      for (const order of ['asc', 'desc']) {
        const seen = await walk<{ id: string }>(alice, `${prefix}${BASE}/${id}/messages?order=${order}&limit=2`)
        expect(idsOf(seen)).toEqual(order === 'asc' ? all : all.toReversed())
      }
    }
  })

  test('to "default" are those of the agent itself, which its own id names too', async () => {
    const agent = await makeAgent()
    const { body } = await say('default', 'My cat is Tom', { agent_id: agent })
    expect(body.stop_reason.stop_reason).toBe('end_turn')
    expect((await answerOf(agent, 'And my dog is Rex')).content).toContain('My cat is Tom')
    const { body: own } = await alice.get(`/v1/agents/${agent}/messages`)
    expect((await alice.get(`${BASE}/default/messages?agent_id=${agent}`)).body).toEqual(own)
    expect((await alice.get(`${BASE}/${agent}/messages`)).body).toEqual(own)
    expect((await say('default', 'Hello')).status).toBe(422)
    expect((await alice.get(`${BASE}/somewhere/messages`)).status).toBe(422)
  })

  test('are answered side by side in two conversations, and one behind the other in one', async () => {
    const agent = await makeAgent()
    const [one, two] = [await make(agent), await make(agent)]
    const replies = await Promise.all([one, two, one, two].map(({ id }, n) => say(id, `Message ${n}`)))
    expect(replies.map(({ status }) => status)).toEqual(Array(4).fill(200))
    for (const { id } of [one, two]) {
      const { body } = await alice.get(`${BASE}/${id}/messages?order=asc`)
      expect(kinds(body.slice(1))).toEqual(Array(2).fill(['user_message', 'assistant_message']).flat())
    }
  })

  test('are answered by the model of the conversation', async () => {
    const { id } = await make(await makeAgent({ model: 'openai/gpt-4o-mini' }), { model: 'cairn/scripted' })
    expect((await say(id, 'Hello')).body.stop_reason.stop_reason).toBe('end_turn')
    const [step] = (await alice.get(`/v1/steps/?limit=1`)).body
    expect(step.model_handle).toBe('cairn/scripted')
  })

  test('can be streamed again: by run, by the id of a message, not without a run', async () => {
    const { id } = await make(await makeAgent())
    const message = { role: 'user', content: 'Hello', otid: 'mine' }
    const { body } = await alice.post(`${BASE}/${id}/messages`, { messages: [message], background: true })
    const events = eventsIn(body as unknown as string)
    const again = async (request: object) => alice.post(`${BASE}/${id}/stream`, request)
    for (const request of [{ run_id: events[0]!.run_id }, { otid: 'mine' }]) {
      expect(eventsIn((await again(request)).body as unknown as string)).toEqual(events)
    }
    const [after] = eventsIn((await again({ otid: 'mine', starting_after: 1 })).body as unknown as string)
    expect(after).toEqual(events[1])
    expect((await again({})).status).toBe(400)
    expect((await again({ otid: 'other' })).status).toBe(400)
    const { id: other } = await make(await makeAgent())
    expect((await alice.post(`${BASE}/${other}/stream`, { run_id: events[0]!.run_id })).status).toBe(404)
  })
})

describe('an isolated block', () => {
  test('is a copy that the conversation alone changes, and that its prompt shows', async () => {
    const agent = await makeAgent()
    const {
      id,
      isolated_block_ids: [block],
    } = await make(agent, { isolated_block_labels: ['human'] })
    const { id: open } = await make(agent)
    await say(id, remember('Only here'))
    await say(open, remember('Everywhere'))
    expect((await alice.get(`/v1/blocks/${block}`)).body.value).toBe('Name: Ada\nOnly here')
    expect((await alice.get(`/v1/agents/${agent}/core-memory/blocks/human`)).body.value).toBe('Name: Ada\nEverywhere')
    const prompt = (await answerOf(id, '!prompt')).content
    expect(prompt).toContain('Only here')
    expect(prompt).not.toContain('Everywhere')
    expect((await answerOf('default', '!prompt', { agent_id: agent })).content).toContain('Everywhere')
    expect(idsOf((await alice.get('/v1/blocks/?label=human&limit=200')).body)).not.toContain(block)
    expect((await bob.get(`/v1/blocks/${block}`)).status).toBe(404)
  })

  test('that the agent makes there is the conversation’s alone', async () => {
    const agent = await makeAgent({ tools: ['memory'] })
    const { id } = await make(agent, { isolated_block_labels: ['human'] })
    const create = { command: 'create', path: '/memories/notes', description: 'Notes.', file_text: 'Secret.' }
    await say(id, `!call memory ${JSON.stringify(create)}`)
    expect((await alice.get(`/v1/agents/${agent}/core-memory/blocks`)).body).toHaveLength(1)
    expect((await answerOf(id, '!prompt')).content).toContain('Secret.')
    await say(id, `!call memory ${JSON.stringify({ command: 'delete', path: '/memories/notes' })}`)
    expect((await answerOf(id, '!prompt')).content).not.toContain('Secret.')
  })

  test('keeps its limit, and stays read-only', async () => {
    const blocks = [
      { label: 'short', value: 'x', limit: 5 },
      { label: 'fixed', value: 'x', read_only: true },
    ]
    const agent = await makeAgent({ memory_blocks: blocks })
    const { id, isolated_block_ids: ids } = await make(agent, { isolated_block_labels: ['short', 'fixed'] })
    for (const label of ['short', 'fixed']) {
      const { body } = await say(id, `!call memory_insert {"label": "${label}", "new_string": "too long"}`)
      expect(body.messages[1].status).toBe('error')
    }
    for (const block of ids) expect((await alice.get(`/v1/blocks/${block}`)).body.value).toBe('x')
  })

  test('that its agent renames or removes there leaves the block of the agent out of the conversation', async () => {
    const memory_blocks = ['human', 'notes'].map((label) => ({ label, value: `Of all: ${label}` }))
    const agent = await makeAgent({ agent_type: 'mem_agent', memory_blocks })
    const { id } = await make(agent, { isolated_block_labels: ['human', 'notes'], model: 'cairn/scripted' })
    const memory = (args: object) => `!call memory ${JSON.stringify(args)}`
    const rename = { command: 'rename', old_path: '/memories/human', new_path: '/memories/person' }
    for (const args of [rename, { command: 'delete', path: '/memories/notes' }]) {
      const { body } = await say(id, memory(args))
      expect(body.messages.find((one: { status?: string }) => one.status)).toMatchObject({ status: 'success' })
    }
    const isolated = (await alice.get(`${BASE}/${id}`)).body.isolated_block_ids
    expect(isolated).toHaveLength(1)
    expect((await alice.get(`/v1/blocks/${isolated[0]}`)).body.label).toBe('person')
    const { body: prompt } = await alice.post(`${BASE}/${id}/recompile?dry_run=true`)
    expect(prompt).toContain('<person>')
    for (const gone of ['<human>', '<notes>']) expect(prompt).not.toContain(gone)
    const { body: forked } = await alice.post(`${BASE}/${id}/fork`)
    expect((await alice.post(`${BASE}/${forked.id}/recompile`)).body).not.toContain('<human>')
    const labels = (await alice.get(`/v1/agents/${agent}/core-memory/blocks`)).body.map(
      (block: { label: string }) => block.label,
    )
    expect(labels.sort()).toEqual(['human', 'notes'])
  })

  test('goes with its conversation', async () => {
    const {
      id,
      isolated_block_ids: [block],
    } = await make(await makeAgent(), { isolated_block_labels: ['human'] })
    expect((await alice.delete(`${BASE}/${id}`)).status).toBe(200)
    expect((await alice.get(`/v1/blocks/${block}`)).status).toBe(404)
  })
})

describe('a fork', () => {
  const speak = async (agent: string) => {
    const { id } = await make(agent)
    for (const word of ['one', remember('two'), 'three']) await say(id, word)
    const { body } = await alice.get(`${BASE}/${id}/messages?order=asc`)
    return { id, messages: body as { id: string; message_type: string }[] }
  }
  const messagesOf = async (id: string) =>
    (await alice.get(`${BASE}/${id}/messages?order=asc`)).body as { id: string }[]
  const fork = (id: string, query = '') => alice.post(`${BASE}/${id}/fork${query}`)

  test('has the messages of its source, and both go on apart', async () => {
    const agent = await makeAgent()
    const { id, messages } = await speak(agent)
    const { status, body: forked } = await fork(id)
    expect([status, forked.agent_id]).toEqual([200, agent])
    const shared = idsOf(messages).slice(1)
    expect(forked.in_context_message_ids.slice(1)).toEqual([...new Set(shared)])
    expect(forked.in_context_message_ids).not.toContain(messages[0]!.id)
    expect((await answerOf(forked.id, 'five')).content).toContain('three')
    expect((await answerOf(id, 'four')).content).not.toContain('five')
    const listed = idsOf(await messagesOf(forked.id))
    expect(listed[0]).toBe(forked.in_context_message_ids[0])
    expect(listed.slice(1, 1 + shared.length)).toEqual(shared)
  })

  test('from a message ends with this message, and with the returns of its calls', async () => {
    const { id, messages } = await speak(await makeAgent())
    const place = (kind: string, n = 0) => messages.filter(({ message_type }) => message_type === kind)[n]!.id
    for (const [message, last] of [
      [place('user_message', 1), place('user_message', 1)],
      [place('tool_call_message'), place('tool_return_message')],
      [place('assistant_message'), place('assistant_message')],
    ] as const) {
      const { body: forked } = await fork(id, `?message_id=${message}`)
      expect(forked.in_context_message_ids.at(-1)).toBe(last)
      expect((await say(forked.id, 'Go on')).status).toBe(200)
    }
    expect((await fork(id, '?message_id=message-00000000-0000-4000-8000-000000000000')).status).toBe(404)
  })

  test('outlives its source, and the source outlives the fork', async () => {
    const agent = await makeAgent()
    const { id, messages } = await speak(agent)
    const [one, two] = [(await fork(id)).body.id, (await fork(id)).body.id]
    await alice.delete(`${BASE}/${two}`)
    expect(await messagesOf(id)).toEqual(messages)
    await alice.delete(`${BASE}/${id}`)
    expect((await messagesOf(one)).slice(1)).toEqual(messages.slice(1))
    expect((await answerOf(one, 'And now?')).content).toContain('three')
    await alice.delete(`${BASE}/${one}`)
    expect((await alice.get(`/v1/agents/${agent}/messages`)).body).toHaveLength(1)
  })

  test('of the agent itself shares its messages; that of a conversation copies its blocks', async () => {
    const agent = await makeAgent()
    await say('default', 'My cat is Tom', { agent_id: agent })
    const { body: direct } = await fork('default', `?agent_id=${agent}`)
    expect((await answerOf(direct.id, 'Which cat?')).content).toContain('Tom')
    await alice.delete(`${BASE}/${direct.id}`)
    expect((await alice.get(`/v1/agents/${agent}/messages`)).body).toHaveLength(3)

    const { id } = await make(agent, { isolated_block_labels: ['human'] })
    await say(id, remember('Before'))
    const { body: forked } = await fork(id)
    await say(forked.id, remember('After'))
    const memoryOf = async (of: string) => {
      const [block] = (await alice.get(`${BASE}/${of}`)).body.isolated_block_ids
      return (await alice.get(`/v1/blocks/${block}`)).body.value
    }
    expect([await memoryOf(id), await memoryOf(forked.id)]).toEqual(['Name: Ada\nBefore', 'Name: Ada\nBefore\nAfter'])
  })

  test('leaves a call that waits for an approval behind, to be answered once', async () => {
    const agent = await makeAgent({ tool_rules: [{ type: 'requires_approval', tool_name: 'memory_insert' }] })
    const { id } = await make(agent)
    await say(id, 'one')
    const { body } = await say(id, remember('Approved'))
    const { id: request } = body.messages[0]
    for (const query of ['', `?message_id=${request}`]) {
      const { body: forked } = await fork(id, query)
      expect(forked.in_context_message_ids).toHaveLength(4)
      expect((await say(forked.id, 'Hello?')).status).toBe(200)
    }
    expect((await say(id, 'Hello?')).body.pending_request_id).toBe(request)
  })
})

describe('cancelling a conversation', () => {
  test('is a 409 where nothing runs, and closes a request for approval', async () => {
    const agent = await makeAgent({ tool_rules: [{ type: 'requires_approval', tool_name: 'memory_insert' }] })
    const { id } = await make(agent)
    expect((await alice.post(`${BASE}/${id}/cancel`)).status).toBe(409)
    await say(id, remember('x'))
    expect((await alice.post(`${BASE}/${id}/cancel`)).status).toBe(200)
    expect((await say(id, 'Hello')).status).toBe(200)
  })
})
