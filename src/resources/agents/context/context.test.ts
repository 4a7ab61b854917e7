import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ScriptedModel, startScriptedModel } from '../../../../test/models/scripted/model.ts'
import { type Client, useTestServer } from '../../../../test/server.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
let alice: Client
let bob: Client
let model: ScriptedModel
beforeAll(async () => {
  alice = server.alice
  bob = server.bob
  model = await startScriptedModel()
})
afterAll(() => model.close())

const onModel = () => ({
  llm_config: { model: 'm', model_endpoint_type: 'openai', model_endpoint: model.url, context_window: 32_000 },
})

/** An agent with a memory block that has heard these messages. */
async function agent(said: readonly string[] = [], body: object = {}): Promise<string> {
  const memory_blocks = [{ label: 'human', value: 'Name: Ada' }]
  const { id } = (await alice.post('/v1/agents/', { memory_blocks, ...body })).body
  for (const input of said) expect((await alice.post(`/v1/agents/${id}/messages`, { input })).status).toBe(200)
  return id
}

const inContext = async (id: string): Promise<string[]> => (await alice.get(`/v1/agents/${id}`)).body.message_ids
const listed = async (id: string) => (await alice.get(`/v1/agents/${id}/messages?order=asc`)).body
const promptOf = async (id: string): Promise<string> => (await listed(id))[0].content

describe('the context of an agent', () => {
  test('is shown by parts, with the tokens of each', async () => {
    const id = await agent(['Hello', 'How are you?'], {
      tool_rules: [{ type: 'exit_loop', tool_name: 'memory_insert' }],
    })
    const { body } = await alice.get(`/v1/agents/${id}/context`)
    expect(body).toMatchObject({
      num_messages: 5,
      num_recall_memory: 5,
      num_archival_memory: 0,
      core_memory: expect.stringContaining('Name: Ada'),
      tool_usage_rules: expect.stringContaining('memory_insert'),
      external_memory_summary: expect.stringContaining(id),
      tokenizer: 'o200k_base',
      num_tokens_reported: expect.any(Number),
    })
    expect(body.system_prompt).not.toContain('Name: Ada')
    expect(body.functions_definitions.map((tool: { function: { name: string } }) => tool.function.name)).toContain(
      'memory_insert',
    )
    const parts = Object.entries<number>(body).filter(([name]) => /^num_tokens_(?!reported)/.test(name))
    expect(parts.reduce((sum, [, tokens]) => sum + tokens, 0)).toBe(body.context_window_size_current)
    expect(body.num_tokens_messages).toBeGreaterThan(10)
    expect(body.num_tokens_functions_definitions).toBeGreaterThan(100)
  })

  test('shows the prompt of the next run, also before the first one and after a change of memory', async () => {
    const id = await agent()
    const shown = async () => (await alice.get(`/v1/agents/${id}/context`)).body
    const first = await shown()
    expect(first).toMatchObject({ core_memory: expect.stringContaining('Name: Ada') })
    expect(first.num_tokens_core_memory).toBeGreaterThan(10)
    expect(first.messages[0].content[0].text).toContain('Name: Ada')
    await alice.post(`/v1/agents/${id}/messages`, { input: 'Hello' })
    await alice.patch(`/v1/agents/${id}/core-memory/blocks/human`, { value: 'Name: Grace' })
    expect(await shown()).toMatchObject({ core_memory: expect.stringContaining('Name: Grace') })
  })

  test('is summarized when the caller asks for it, and its messages stay listed', async () => {
    const id = await agent(['My cat is Tom', 'It likes fish', 'Its name is short'], onModel())
    const before = await listed(id)
    model.add({ text: 'The cat Tom likes fish.' })
    const { status, body } = await alice.post(`/v1/agents/${id}/summarize`, { compaction_settings: { mode: 'all' } })
    expect([status, body]).toEqual([
      200,
      { summary: 'The cat Tom likes fish.', num_messages_before: 7, num_messages_after: 2 },
    ])
    const all = await listed(id)
    expect(all.slice(1, 7)).toEqual(before.slice(1))
    expect(all[7]).toMatchObject({ message_type: 'summary_message', summary: 'The cat Tom likes fish.' })
    expect(await inContext(id)).toEqual([all[0].id, all[7].id])
    expect(all[0].content).toContain('6 previous messages')
    const context = (await alice.get(`/v1/agents/${id}/context`)).body
    expect(context).toMatchObject({ summary_memory: 'The cat Tom likes fish.', num_tokens_messages: 0 })
    // There is nothing more to summarize.
    const again = await alice.post(`/v1/agents/${id}/summarize`)
    expect(again.body).toMatchObject({
      summary: 'The cat Tom likes fish.',
      num_messages_before: 2,
      num_messages_after: 2,
    })
    await alice.post(`/v1/agents/${id}/messages`, { input: 'What does it like?' })
    expect(JSON.stringify(model.requests.at(-1)!.body.messages)).toContain('The cat Tom likes fish.')
  })

  test('is as it was when no model summarizes it', async () => {
    const id = await agent(['One', 'Two', 'Three'], onModel())
    const before = await inContext(id)
    model.add({ error: { status: 400, message: 'No.' } })
    expect((await alice.post(`/v1/agents/${id}/summarize`)).status).toBe(502)
    expect(await inContext(id)).toEqual(before)
    expect((await alice.post(`/v1/agents/${await agent()}/summarize`)).status).toBe(400)
  })

  test('keeps the call that waits for an approval when it is summarized', async () => {
    const id = await agent(['One', 'Two'], { tool_rules: [{ type: 'requires_approval', tool_name: 'memory_insert' }] })
    const input = '!call memory_insert {"label": "human", "new_string": "Likes tea."}'
    const waiting = (await alice.post(`/v1/agents/${id}/messages`, { input })).body.messages[0]
    const all = { compaction_settings: { mode: 'all' } }
    expect((await alice.post(`/v1/agents/${id}/summarize`, all)).body).toMatchObject({ num_messages_after: 3 })
    expect((await inContext(id)).at(-1)).toBe(waiting.id)
    const approvals = [{ type: 'approval', tool_call_id: waiting.tool_calls[0].tool_call_id, approve: true }]
    const { body } = await alice.post(`/v1/agents/${id}/messages`, { messages: [{ type: 'approval', approvals }] })
    expect(body.messages[0]).toMatchObject({ message_type: 'tool_return_message', status: 'success' })
  })

  test('is emptied by a reset, with what waits for an approval; its messages stay listed', async () => {
    const id = await agent(['Hello'], { tool_rules: [{ type: 'requires_approval', tool_name: 'memory_insert' }] })
    await alice.post(`/v1/agents/${id}/messages`, {
      input: '!call memory_insert {"label": "human", "new_string": "x"}',
    })
    const before = await listed(id)
    const { status, body } = await alice.patch(`/v1/agents/${id}/reset-messages`, {
      add_default_initial_messages: false,
    })
    expect([status, body.id, body.message_ids]).toEqual([200, id, [before[0].id]])
    expect((await listed(id)).slice(1)).toEqual(before.slice(1))
    const reply = await alice.post(`/v1/agents/${id}/messages`, { input: 'Do you know me?' })
    expect(reply.body.messages[0].content).not.toContain('Hello')
  })

  test('begins anew with the first messages of a new agent, where these are asked for', async () => {
    const id = await agent([], { agent_type: 'mem_agent' })
    const first: { id: string; message_type: string }[] = await listed(id)
    const reset = await alice.patch(`/v1/agents/${id}/reset-messages`, { add_default_initial_messages: true })
    const { message_ids } = reset.body
    expect(message_ids).toEqual([first[0]!.id, ...message_ids.slice(1)])
    const kinds = (messages: typeof first) => messages.map(({ message_type }) => message_type)
    expect(first.length).toBeGreaterThan(1)
    const all: typeof first = await listed(id)
    const again = all.filter((message) => message_ids.includes(message.id))
    expect(kinds(again)).toEqual(kinds(first))
    expect(again.slice(1).some((message) => first.some((old) => old.id === message.id))).toBe(false)
  })

  test('does not change while a run is carried out', async () => {
    const id = await agent(['One', 'Two', 'Three'], onModel())
    const held = Promise.withResolvers<void>()
    model.add({ after: held.promise, text: 'Late.' })
    const asked = model.requests.length
    const sent = alice.post(`/v1/agents/${id}/messages`, { input: 'Wait.' })
    await expect.poll(() => model.requests.length).toBe(asked + 1)
    model.add({ text: 'A summary.' })
    expect((await alice.patch(`/v1/agents/${id}/reset-messages`, {})).status).toBe(409)
    expect((await alice.post(`/v1/agents/${id}/summarize`)).status).toBe(409)
    held.resolve()
    expect((await sent).status).toBe(200)
    expect(await inContext(id)).toHaveLength(9)
  })
})

describe('the system prompt', () => {
  test('is compiled anew on demand, at its old time unless the caller wants the present', async () => {
    const id = await agent(['Hello'])
    const before = await promptOf(id)
    await alice.patch(`/v1/agents/${id}`, { system: 'You are brief.' })
    const dry = await alice.post(`/v1/agents/${id}/recompile?dry_run=true`)
    expect([dry.status, dry.body]).toEqual([200, expect.stringContaining('You are brief.')])
    expect(await promptOf(id)).toBe(before)
    expect((await alice.post(`/v1/agents/${id}/recompile`)).body).toBe(dry.body)
    expect(await promptOf(id)).toBe(dry.body)
    const time = (text: string) => /last recompiled: (.*)/.exec(text)?.[1]
    const later = (await alice.post(`/v1/agents/${id}/recompile?update_timestamp=true`)).body
    expect(Date.parse(time(later)!)).toBeGreaterThan(Date.parse(time(dry.body)!))
  })
})

describe('a model without its agent', () => {
  test('answers a prompt, and nothing is kept', async () => {
    const id = await agent([], onModel())
    model.add({ text: 'Said.' })
    const body = { prompt: 'Say it.', system_prompt: 'Be brief.' }
    const reply = await alice.post(`/v1/agents/${id}/generate`, body)
    expect(reply.body).toMatchObject({
      content: 'Said.',
      model: 'm',
      usage: { prompt_tokens: 10, completion_tokens: 5 },
    })
    expect(model.requests.at(-1)!.body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Say it.' },
    ])
    expect(await listed(id)).toHaveLength(1)
  })

  test('answers by a schema', async () => {
    const id = await agent([], onModel())
    model.add({ calls: [{ name: 'structured_output', arguments: { city: 'Oslo' } }] })
    const response_schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    const reply = await alice.post(`/v1/agents/${id}/generate`, { prompt: 'Where?', response_schema })
    expect(JSON.parse(reply.body.content)).toEqual({ city: 'Oslo' })
    const { tools, tool_choice } = model.requests.at(-1)!.body
    expect(tools[0].function.parameters).toMatchObject(response_schema)
    expect(tool_choice.function.name).toBe('structured_output')
  })

  test.each<[string, object, number]>([
    ['a model of no provider', { prompt: 'x', override_model: 'openai/none' }, 422],
    ['no prompt', {}, 422],
    ['a call that fails', { prompt: 'x' }, 502],
  ])('%s is an error', async (_, body, status) => {
    const id = await agent([], onModel())
    if (status === 502) model.add({ error: { status: 401, message: 'No such key.' } })
    expect((await alice.post(`/v1/agents/${id}/generate`, body)).status).toBe(status)
  })

  test('is shown the request that a message would make, which is not sent', async () => {
    const id = await agent(['Hello'], onModel())
    const sent = model.requests.length
    const input = { messages: [{ role: 'user', content: 'What would you send?' }] }
    const { status, body } = await alice.post(`/v1/agents/${id}/messages/preview-raw-payload`, input)
    expect([status, model.requests.length]).toEqual([200, sent])
    expect(body.messages.map(({ role }: { role: string }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(body.messages.at(-1).content).toBe('What would you send?')
    expect(body.tools.length).toBeGreaterThan(1)
    await alice.post(`/v1/agents/${id}/messages`, input)
    expect(model.requests.at(-1)!.body).toEqual(body)
  })
})

test('another organization reaches none of it', async () => {
  const id = await agent(['Hello'])
  const before = await listed(id)
  for (const [method, path, body] of [
    ['GET', 'context'],
    ['POST', 'recompile'],
    ['POST', 'summarize', {}],
    ['PATCH', 'reset-messages', {}],
    ['POST', 'generate', { prompt: 'x' }],
    ['POST', 'messages/preview-raw-payload', { input: 'x' }],
  ] as const) {
    expect([path, (await bob.call(method, `/v1/agents/${id}/${path}`, body)).status]).toEqual([path, 404])
  }
  expect(await listed(id)).toEqual(before)
})
