import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { useCli } from '../../../test/cli.ts'
import { type ScriptedModel, startScriptedModel } from '../../../test/models/scripted/model.ts'
import { useTestServer } from '../../../test/server.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
const cli = useCli(server)
let model: ScriptedModel
beforeAll(async () => {
  model = await startScriptedModel()
})
afterAll(() => model.close())

/** An agent, whose calls of memory_insert need an approval where `asks`. */
async function makeAgent(name: string, asks = false): Promise<string> {
  const body = { name, memory_blocks: [{ label: 'human', value: 'Likes tea.' }] }
  const { id } = (await server.alice.post('/v1/agents/', body)).body
  if (asks) await server.alice.patch(`/v1/agents/${id}/tools/approval/memory_insert`, { requires_approval: true })
  return id
}

const INSERT = '!call memory_insert {"label": "human", "new_string": "Hates mornings."}'
const blockOf = async (id: string) => (await server.alice.get(`/v1/agents/${id}/core-memory/blocks/human`)).body.value

describe('cairn chat in a pipe', () => {
  test('sends one message and writes the response, with a line for each call', async () => {
    await makeAgent('Piped')
    const { code, stdout, stderr } = await cli.cairn(['chat', 'Piped'], { input: `Hi. ${INSERT}\n` })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^✓ memory_insert .* → Likes tea\..*\nmemory_insert returned: .*\n$/)
    const events = (await cli.cairn(['chat', 'Piped', 'Hello', 'you', '--json'])).stdout.trim().split('\n')
    expect(events.map((line) => JSON.parse(line).message_type)).toContain('assistant_message')
    expect(await cli.cairn(['chat', 'Piped', 'x'], { as: 'bob' })).toMatchObject({ code: 2 })
  })

  test('approves nothing unless it may', async () => {
    const id = await makeAgent('Careful', true)
    const waits = await cli.cairn(['chat', 'Careful', INSERT])
    expect(waits).toMatchObject({ code: 1, stderr: expect.stringContaining('--approve-all') })
    expect(await blockOf(id)).toBe('Likes tea.')
    await server.alice.post(`/v1/agents/${id}/messages/cancel`, {})
    expect((await cli.cairn(['chat', id, INSERT, '--approve-all'])).stdout).toContain('✓ memory_insert')
    expect(await blockOf(id)).toBe('Likes tea.\nHates mornings.')
  })
})

describe('cairn chat at a terminal', () => {
  test('asks for approvals in place, also for calls that waited before', async () => {
    const id = await makeAgent('Asking', true)
    await server.alice.post(`/v1/agents/${id}/messages`, { input: INSERT })
    const chat = cli.atTerminal(['chat', 'Asking'])
    await chat.until('reason why not: ')
    chat.type('That is private.\r')
    await chat.until('User reason: That is private.')
    await chat.until('> ')
    chat.type(`${INSERT}\r`)
    await chat.until('reason why not: ')
    chat.type('y\r')
    await chat.until('✓')
    await chat.until('> ')
    expect(await blockOf(id)).toBe('Likes tea.\nHates mornings.')
    chat.type('/exit\r')
    expect(await chat.exited).toBe(0)
  })

  test('takes messages of several lines, and finds earlier lines again in the next chat', async () => {
    const id = await makeAgent('Lines')
    const sent = async () => {
      const { body } = await server.alice.get(`/v1/agents/${id}/messages?order=asc`)
      return body.flatMap((message: Record<string, string>) =>
        message.message_type === 'user_message' ? [message.content] : [],
      )
    }
    const chat = cli.atTerminal(['chat', 'Lines'])
    for (const typed of ['one \\\r', 'two\r']) {
      await chat.until(typed === 'two\r' ? '… ' : '> ')
      chat.type(typed)
    }
    await chat.until('You said')
    await chat.until('> ')
    chat.type('pasted\nlines\n')
    await chat.until('… ')
    chat.type('\r')
    await chat.until('You said')
    await chat.until('> ')
    chat.type('"""\r')
    await chat.until('… ')
    chat.type('\r')
    await chat.until('… ')
    chat.type('fenced\r')
    await chat.until('… ')
    chat.type('"""\r')
    await chat.until('You said')
    await chat.until('> ')
    expect(await sent()).toEqual(['one \ntwo', 'pasted\nlines', '\nfenced'])
    chat.type('\u0004')
    expect(await chat.exited).toBe(0)

    const next = cli.atTerminal(['chat', 'Lines'])
    await next.until('> ')
    next.type('\u001b[A\u001b[A')
    await next.until('fenced')
    next.type('\r')
    await next.until('You said')
    await next.until('> ')
    expect((await sent()).at(-1)).toBe('fenced')
    next.type('\u0004')
    await next.exited
  })

  test('cancels the response by Ctrl-C and goes on; at an empty prompt a second Ctrl-C ends it', async () => {
    const { body } = await server.alice.post('/v1/agents/', {
      name: 'Slow',
      llm_config: {
        model: 'scripted',
        model_endpoint_type: 'openai',
        model_endpoint: model.url,
        context_window: 32_000,
      },
    })
    model.add({ text: 'word '.repeat(2_000), pace: 20 })
    const chat = cli.atTerminal(['chat', 'Slow'])
    await chat.until('> ')
    chat.type('Go on for long.\r')
    await chat.until('word word')
    chat.interrupt()
    await chat.until('Cancelled.')
    const [run] = (await server.alice.get(`/v1/runs/?agent_id=${body.id}`)).body
    expect(run.status).toBe('cancelled')
    await chat.until('> ')
    chat.type('half a line\u0003')
    await chat.until('> ')
    chat.type('And now?\r')
    await chat.until('You said: "And now?"')
    await chat.until('> ')
    chat.type('\u0003')
    await chat.until('Ctrl-C again')
    chat.type('\u0003')
    expect(await chat.exited).toBe(0)
  })

  test('goes on after a message that fails', async () => {
    const id = await makeAgent('Gone')
    const chat = cli.atTerminal(['chat', 'Gone'])
    await chat.until('> ')
    await server.alice.delete(`/v1/agents/${id}`)
    chat.type('Hello\r')
    await chat.until('(404)')
    await chat.until('> ')
    chat.type('\u0004')
    expect(await chat.exited).toBe(0)
  })
})
