import OpenAI from 'openai'
import { beforeAll, describe, expect, test } from 'vitest'
import { startScriptedModel } from '../../../test/models/scripted/model.ts'
import { type Client, useTestServer } from '../../../test/server.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
let alice: OpenAI
let bob: OpenAI
let api: Client
beforeAll(async () => {
  const origin = await server.app.listen({ port: 0, host: 'localhost' })
  const client = ({ key }: Client) => new OpenAI({ apiKey: key, baseURL: `${origin}/v1/openai`, maxRetries: 0 })
  alice = client(server.alice)
  bob = client(server.bob)
  api = server.alice
})

async function makeAgent(body: object = {}): Promise<string> {
  const { status, body: agent } = await api.post('/v1/agents/', { name: 'Chatty', ...body })
  expect(status).toBe(200)
  return agent.id
}

const user = (content: string) => ({ role: 'user' as const, content })

const TOOL = {
  type: 'function' as const,
  function: {
    name: 'roll',
    description: 'Rolls dice.',
    parameters: { type: 'object', properties: { sides: { type: 'integer' } } },
  },
}

describe('an agent as a model of OpenAI', () => {
  test('answers', async () => {
    const model = await makeAgent()
    const completion = await alice.chat.completions.create({ model, messages: [user('Hello there')] })
    expect(completion).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-run-/),
      object: 'chat.completion',
      model: 'scripted',
      choices: [
        { message: { role: 'assistant', content: expect.stringContaining('Hello there') }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: expect.any(Number), total_tokens: expect.any(Number) },
    })
  })

  test('streams the same answer, with its usage', async () => {
    const model = await makeAgent()
    const runner = alice.chat.completions.stream({
      model,
      messages: [user('Hello there')],
      stream_options: { include_usage: true },
    })
    let chunks = 0
    for await (const chunk of runner) if (chunk.choices[0]?.delta.content) chunks++
    const { choices, usage } = await runner.finalChatCompletion()
    expect(choices[0]).toMatchObject({
      message: { content: expect.stringContaining('Hello there') },
      finish_reason: 'stop',
    })
    expect([chunks > 1, usage!.completion_tokens > 0]).toEqual([true, true])
  })

  test('gets of a whole history only what it does not know', async () => {
    const model = await makeAgent()
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'system', content: 'Be brief.' },
      user('My cat is Tom'),
    ]
    const first = await alice.chat.completions.create({ model, messages })
    messages.push(first.choices[0]!.message, user('And my dog is Rex'))
    const second = await alice.chat.completions.create({ model, messages })
    expect(second.choices[0]!.message.content).toContain('My cat is Tom')
    const { body: kept } = await api.get(`/v1/agents/${model}/messages?order=asc`)
    expect(
      kept
        .map(({ message_type, content }: { message_type: string; content: string }) => [message_type, content])
        .slice(1),
    ).toEqual([
      ['system_message', 'Be brief.'],
      ['user_message', 'My cat is Tom'],
      ['assistant_message', first.choices[0]!.message.content],
      ['user_message', 'And my dog is Rex'],
      ['assistant_message', second.choices[0]!.message.content],
    ])
  })

  test('gets a history that another model began as a whole', async () => {
    const model = await makeAgent()
    const call = { id: 'call_other', type: 'function' as const, function: { name: 'look', arguments: '{"at": "cat"}' } }
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      user('Who is Tom?'),
      { role: 'assistant', content: 'A cat, said the other model.' },
      user('Sure?'),
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: call.id, content: 'It purrs.' },
      user('So?'),
    ]
    await alice.chat.completions.create({ model, messages })
    const { body: kept } = await api.get(`/v1/agents/${model}/messages?order=asc`)
    const texts = kept.map(({ content }: { content: string }) => content).slice(1, -1)
    expect(texts).toEqual([
      'Who is Tom?',
      'A cat, said the other model.',
      'Sure?',
      '[called look: {"at": "cat"}]',
      '[tool return] It purrs.',
      'So?',
    ])
  })

  test.each([false, true])('calls a tool of the caller, and goes on with its return: streamed %s', async (stream) => {
    const model = await makeAgent()
    const messages: OpenAI.ChatCompletionMessageParam[] = [user('!call roll {"sides": 6}')]
    const ask = async () => {
      const request = { model, messages, tools: [TOOL] }
      if (!stream) return alice.chat.completions.create(request)
      return alice.chat.completions.stream(request).finalChatCompletion()
    }
    const [choice] = (await ask()).choices
    expect(choice).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ type: 'function', function: { name: 'roll' } }] },
    })
    const call = choice!.message.tool_calls![0]!
    expect(call.type === 'function' && JSON.parse(call.function.arguments)).toEqual({ sides: 6 })
    messages.push(choice!.message, { role: 'tool', tool_call_id: call.id, content: 'It is a 5.' })
    const [answer] = (await ask()).choices
    expect(answer).toMatchObject({ finish_reason: 'stop', message: { content: expect.stringContaining('It is a 5.') } })
  })

  test('hides the tools that the agent calls itself, and joins its texts', async () => {
    const model = await makeAgent({ memory_blocks: [{ label: 'human', value: 'Name: Ada' }] })
    const content = 'Remember. !call memory_insert {"label": "human", "new_string": "Likes tea"}'
    const [choice] = (await alice.chat.completions.create({ model, messages: [user(content)] })).choices
    expect(choice).toMatchObject({ finish_reason: 'stop', message: { content: expect.any(String) } })
    expect(choice!.message.tool_calls).toBeUndefined()
    expect((await api.get(`/v1/agents/${model}/core-memory/blocks/human`)).body.value).toContain('Likes tea')
  })

  test('sees images', async () => {
    const model = await makeAgent()
    const url = 'data:image/png;base64,iVBORw0KGgo='
    const content = [
      { type: 'text' as const, text: 'Look' },
      { type: 'image_url' as const, image_url: { url } },
    ]
    await alice.chat.completions.create({ model, messages: [{ role: 'user', content }] })
    const { body: kept } = await api.get(`/v1/agents/${model}/messages?order=asc`)
    expect(kept[1].content).toMatchObject([
      { type: 'text' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png' } },
    ])
  })

  test('belongs to its organization: another one finds no such model', async () => {
    const model = await makeAgent()
    const request = { model, messages: [user('Hello')] }
    await expect(bob.chat.completions.create(request)).rejects.toBeInstanceOf(OpenAI.NotFoundError)
    await expect(bob.models.retrieve(model)).rejects.toBeInstanceOf(OpenAI.NotFoundError)
    const ids = async (client: OpenAI) => (await client.models.list()).data.map(({ id }) => id)
    expect(await ids(alice)).toContain(model)
    expect(await ids(bob)).toEqual([])
    expect(await alice.models.retrieve(model)).toMatchObject({ id: model, object: 'model' })
  })

  test.each<[string, OpenAI.ChatCompletionMessageParam[], object]>([
    ['no messages', [], {}],
    ['an answer at its end', [{ role: 'assistant', content: 'Hi.' }], {}],
    ['audio', [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }] }], {}],
    ['two answers wanted', [user('Hi')], { n: 2 }],
    ['an unknown field', [user('Hi')], { temprature: 1 }],
  ])('refuses %s, in words that the client shows', async (_, messages, more) => {
    const model = await makeAgent()
    const error = await alice.chat.completions.create({ model, messages, ...more }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(OpenAI.UnprocessableEntityError)
    expect(error.message).toMatch(/^422 (messages|n|temprature)/)
  })
})

describe('a model that fails', () => {
  test('is an error of the client, blocking and in a stream', async () => {
    const scripted = await startScriptedModel()
    const provider = { name: 'scripted', provider_type: 'openai', api_key: 'key', base_url: scripted.url }
    expect((await api.post('/v1/providers/', provider)).status).toBe(200)
    const model = await makeAgent()
    const request = { model, messages: [user('Hi')], override_model: 'scripted/gpt-4o-mini' }
    const error = { status: 400, message: 'No such parameter.' }
    scripted.add({ error }, { error })
    await expect(alice.chat.completions.create(request)).rejects.toThrow('No such parameter.')
    const stream = await alice.chat.completions.create({ ...request, stream: true })
    await expect(Array.fromAsync(stream)).rejects.toThrow('No such parameter.')
    await scripted.close()
  })
})
