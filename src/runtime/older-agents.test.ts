import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ScriptedModel, startScriptedModel } from '../../test/models/scripted/model.ts'
import { eventsIn } from '../../test/replies.ts'
import { useTestServer } from '../../test/server.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
let model: ScriptedModel
beforeAll(async () => {
  model = await startScriptedModel()
})
afterAll(() => model.close())

async function makeAgent(agent_type: string, more: object = {}): Promise<string> {
  const { status, body } = await server.alice.post('/v1/agents/', {
    agent_type,
    llm_config: { model: 'scripted', model_endpoint_type: 'openai', model_endpoint: model.url, context_window: 32_000 },
    memory_blocks: [{ label: 'human', value: 'Name: Ada' }],
    ...more,
  })
  expect([status, body.detail]).toEqual([200, undefined])
  return body.id
}

const send = (id: string, body: object) => server.alice.post(`/v1/agents/${id}/messages`, { input: 'Hello', ...body })
const list = async (id: string, query = '') =>
  (await server.alice.get(`/v1/agents/${id}/messages?order=asc${query}`)).body as Record<string, string>[]

const says = (message: unknown, more: object = {}) => ({
  calls: [{ name: 'send_message', arguments: { thinking: 'I greet.', message, ...more } }],
})
const inserts = (new_string: string) => ({
  calls: [
    { name: 'memory_insert', arguments: { thinking: 'Keep.', label: 'human', new_string, request_heartbeat: true } },
  ],
})

/** Messages in short: their types, and their texts. */
const short = (messages: Record<string, string>[]) =>
  messages.map(({ message_type, content, reasoning }) =>
    [message_type, content ?? reasoning].filter(Boolean).join(': '),
  )

describe('an older agent', () => {
  test('begins with a demonstration, or with the messages that its maker gives', async () => {
    const demonstration = [
      'system_message',
      'reasoning_message: I am awake. I check that my messages arrive.',
      'assistant_message: Hello! I am ready.',
    ]
    const [system, ...others] = short(await list(await makeAgent('mem_agent')))
    expect([system!.slice(0, 14), ...others.slice(0, 2)]).toEqual(demonstration)
    expect(JSON.parse(others[2]!.slice('user_message: '.length))).toMatchObject({ type: 'login' })
    const given = [
      { role: 'user', content: 'Who?' },
      { role: 'assistant', content: 'Ada.' },
    ]
    const own = await makeAgent('mem_agent', { initial_message_sequence: given })
    expect(short(await list(own)).slice(1)).toEqual(['user_message: Who?', 'assistant_message: Ada.'])
    expect(await list(await makeAgent('mem_agent', { initial_message_sequence: [] }))).toHaveLength(1)
    for (const type of ['svc_v1_agent', 'sleeptime_agent', 'voice_sleeptime_agent']) {
      expect(await list(await makeAgent(type))).toHaveLength(1)
    }
  })

  test('thinks in its calls, asks for steps by a heartbeat, and answers by a tool', async () => {
    const id = await makeAgent('mem_v2_agent', { initial_message_sequence: [] })
    model.add(inserts('Likes tea.'), says('Kept.'))
    const { body } = await send(id, {})
    expect(short(body.messages)).toEqual([
      'reasoning_message: Keep.',
      'tool_call_message',
      'tool_return_message',
      'reasoning_message: I greet.',
      'assistant_message: Kept.',
    ])
    expect(body.messages[1].tool_calls[0].arguments).toBe(
      '{"label": "human", "new_string": "Likes tea.", "request_heartbeat": true}',
    )
    expect([body.stop_reason.stop_reason, body.usage.step_count]).toEqual(['end_turn', 2])
    const { tools, tool_choice } = model.requests.at(-1)!.body
    expect(tool_choice).toBe('required')
    const parametersOf = (name: string) =>
      tools.find((tool: { function: { name: string } }) => tool.function.name === name).function.parameters
    expect(Object.keys(parametersOf('memory_insert').properties).at(0)).toBe('thinking')
    expect(parametersOf('memory_insert').required).toEqual(['thinking', 'label', 'new_string', 'request_heartbeat'])
    expect(parametersOf('send_message').required).toEqual(['thinking', 'message'])
    const kept = short(await list(id)).slice(2)
    expect(kept.map((text) => text.split(':')[0])).toEqual([
      'reasoning_message',
      'tool_call_message',
      'tool_return_message',
      'user_message',
      'reasoning_message',
      'assistant_message',
    ])
    expect(kept[3]).toContain('"type": "heartbeat"')
  })

  test('streams its thoughts, its calls and its answer as tokens, with the ids of the stored messages', async () => {
    const id = await makeAgent('mem_v2_agent', { initial_message_sequence: [] })
    model.add(inserts('Says "hi".'), says('In tokens, "all" of it.'))
    const { body } = await send(id, { streaming: true, stream_tokens: true, include_pings: false })
    interface Shown {
      otid?: string
      message_type: string
      content?: string
      reasoning?: string
      tool_return?: string
      tool_calls?: { arguments?: string }
    }
    const joined = new Map<string, { type: string; text: string }>()
    for (const event of eventsIn(body as unknown as string) as unknown as Shown[]) {
      const { otid, message_type, content, reasoning, tool_calls, tool_return } = event
      if (!otid) continue
      const text = content ?? reasoning ?? tool_return ?? tool_calls?.arguments ?? ''
      joined.set(otid, { type: message_type, text: (joined.get(otid)?.text ?? '') + text })
    }
    const stored = (await list(id)).slice(2).filter(({ message_type }) => message_type !== 'user_message')
    expect([...joined]).toEqual(
      stored.map(({ otid, message_type, content, reasoning, tool_calls, tool_return }) => {
        const call = tool_calls?.[0] as unknown as { arguments: string } | undefined
        return [otid, { type: message_type, text: content ?? reasoning ?? tool_return ?? call?.arguments }]
      }),
    )
  })

  test('shows its answers as calls, or the calls of another tool as answers, where its caller says so', async () => {
    const id = await makeAgent('mem_v2_agent', { initial_message_sequence: [] })
    const kinds = (messages: { message_type: string }[]) => messages.map(({ message_type }) => message_type)
    const asCall = ['reasoning_message', 'tool_call_message', 'tool_return_message']
    model.add(says('As a call.'))
    const plain = await send(id, { use_assistant_message: false })
    expect(kinds(plain.body.messages)).toEqual(asCall)
    model.add(says('As a call.'))
    const streamed = await send(id, { use_assistant_message: false, streaming: true, stream_tokens: true })
    const shown = kinds(eventsIn(streamed.body as unknown as string)).filter((kind) => kind.endsWith('_message'))
    expect([...new Set(shown)]).toEqual(asCall)
    model.add(inserts('Said.'), says('Done.'))
    const other = await send(id, {
      assistant_message_tool_name: 'memory_insert',
      assistant_message_tool_kwarg: 'new_string',
    })
    expect(short(other.body.messages).slice(0, 3)).toEqual([
      'reasoning_message: Keep.',
      'assistant_message: Said.',
      'reasoning_message: I greet.',
    ])
  })

  test('fails a run whose model makes no call; nothing of it is kept, and the next message is answered', async () => {
    const id = await makeAgent('mem_agent')
    const before = await list(id)
    model.add({ text: 'No call.' })
    const { status, body } = await send(id, {})
    expect([status, body.error.type]).toEqual([500, 'llm_error'])
    expect((await server.alice.get(`/v1/runs/?agent_id=${id}`)).body).toMatchObject([
      { status: 'failed', stop_reason: 'no_tool_call' },
    ])
    expect(await list(id)).toEqual(before)
    model.add(says('Well again.'))
    expect((await send(id, {})).body.messages.at(-1).content).toBe('Well again.')
  })

  test('answers in its response format', async () => {
    const schema = { type: 'object', properties: { mood: { type: 'string' } }, required: ['mood'] }
    const response_format = { type: 'json_schema', json_schema: { name: 'answer', schema } }
    const id = await makeAgent('mem_agent', { response_format })
    model.add(says({ mood: 'glad' }))
    const { body } = await send(id, {})
    expect(JSON.parse(body.messages.at(-1).content)).toEqual({ mood: 'glad' })
    const offered = model.requests.at(-1)!.body.tools.map((tool: { function: object }) => tool.function)
    expect(offered.find(({ name }: { name: string }) => name === 'send_message').parameters.properties.message).toEqual(
      schema,
    )
  })

  test('does not write its thoughts into its calls where its model thinks by itself', async () => {
    const llm_config = {
      model: 'scripted',
      model_endpoint_type: 'openai',
      model_endpoint: model.url,
      context_window: 32_000,
      put_inner_thoughts_in_kwargs: false,
    }
    const id = await makeAgent('mem_agent', { llm_config })
    model.add({ reasoning: 'Own thought.', calls: [{ name: 'send_message', arguments: { message: 'Hi.' } }] })
    const { body } = await send(id, {})
    expect(body.messages.map((message: object) => ({ ...message }))).toMatchObject([
      { source: 'reasoner_model', reasoning: 'Own thought.' },
      { content: 'Hi.' },
    ])
    expect(model.requests.at(-1)!.body.tools[0].function.parameters.properties).not.toHaveProperty('thinking')
  })

  test('of the type workflow begins every turn anew, but answers a request for approval in its turn', async () => {
    const rules = [{ type: 'requires_approval', tool_name: 'memory_insert' }]
    const tools = ['memory_insert', 'send_message']
    const id = await makeAgent('workflow_agent', { tools, tool_rules: rules, initial_message_sequence: [] })
    model.add(says('One.'), inserts('Two'))
    await send(id, {})
    const { body } = await send(id, {})
    const roles = () => model.requests.at(-1)!.body.messages.map(({ role }: { role: string }) => role)
    expect(roles()).toEqual(['system', 'user'])
    expect(JSON.stringify(model.requests.at(-1)!.body.messages[0])).not.toContain('Name: Ada')
    const { tool_call_id } = body.messages.at(-1).tool_calls[0]
    model.add(says('Three.'))
    const messages = [{ type: 'approval', approvals: [{ type: 'approval', tool_call_id, approve: true }] }]
    const answered = await send(id, { input: undefined, messages })
    expect(answered.body.messages.at(-1).content).toBe('Three.')
    expect(roles()).toEqual(['system', 'user', 'assistant', 'tool', 'user'])
  })

  test('talks with the built-in model', async () => {
    const id = await makeAgent('mem_agent', { llm_config: undefined })
    const input = '!call core_memory_append {"label": "human", "content": "Likes tea."}'
    const { body } = await send(id, { input })
    expect(body.messages.at(-1).content).toContain('core_memory_append returned: Name: Ada Likes tea.')
    expect((await send(id, { input: 'Who am I?' })).body.messages.at(-1).content).toContain('"Who am I?"')
  })
})
