import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'
import { callOf, callTool } from '../../../test/tool-calls.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })

const TOOLS = ['memory', 'memory_apply_patch', 'memory_rethink', 'memory_replace', 'memory_insert']

interface Block {
  id: string
  label: string
  value: string
  description?: string
}

/** An agent with blocks of these values, by label. */
async function agentWith(values: Record<string, string>, body: object = {}): Promise<string> {
  const memory_blocks = Object.entries(values).map(([label, value]) => ({ label, value }))
  const reply = await server.alice.post('/v1/agents/', { memory_blocks, tools: TOOLS, ...body })
  expect(reply.status).toBe(200)
  return reply.body.id
}

const blocksOf = async (id: string): Promise<Block[]> =>
  (await server.alice.get(`/v1/agents/${id}/core-memory/blocks?order=asc`)).body

const valuesOf = async (id: string) =>
  Object.fromEntries((await blocksOf(id)).map(({ label, value }) => [label, value]))

const memory = (id: string, args: object) => callTool(server.alice, id, 'memory', args)

describe('the tool memory', () => {
  test('makes a block, edits it, renames it and removes it', async () => {
    const id = await agentWith({ human: 'Ada' })
    const path = '/memories/notes/today'
    expect(await memory(id, { command: 'create', path, description: 'Notes.', file_text: 'One' })).toMatchObject({
      status: 'success',
    })
    const [, made] = await blocksOf(id)
    expect(made).toMatchObject({ label: 'notes/today', value: 'One', description: 'Notes.' })
    expect(await memory(id, { command: 'insert', path, insert_text: 'Two' })).toMatchObject({ tool_return: 'One\nTwo' })
    expect(await memory(id, { command: 'str_replace', path, old_string: 'One', new_string: '1' })).toMatchObject({
      tool_return: '1\nTwo',
    })
    await memory(id, { command: 'rename', path, description: 'All notes.' })
    await memory(id, { command: 'rename', old_path: path, new_path: '/memories/log' })
    const [, renamed] = await blocksOf(id)
    expect(renamed).toMatchObject({ id: made!.id, label: 'log', value: '1\nTwo', description: 'All notes.' })
    const prompt = await server.alice.post(`/v1/agents/${id}/messages`, { input: '!prompt' })
    expect(prompt.body.messages[0].content).toContain('<log>')
    expect(await memory(id, { command: 'delete', path: '/memories/log' })).toMatchObject({ status: 'success' })
    expect(await valuesOf(id)).toEqual({ human: 'Ada' })
    expect((await server.alice.get(`/v1/blocks/${made!.id}`)).status).toBe(200)
  })

  test.each<[string, object, string]>([
    ['an unknown command', { command: 'view' }, 'create, str_replace, insert, delete, rename'],
    ['a label that is taken', { command: 'create', path: 'human', description: '' }, 'There is a memory block "human"'],
    ['a block without a label', { command: 'create', path: '/memories/', description: '' }, "can't be a label"],
    ['a missing block', { command: 'delete', path: '/memories/nothing' }, 'There is no memory block "nothing"'],
    ['to remove a block that is read-only', { command: 'delete', path: '/memories/law' }, 'is read-only'],
    ['to rename a block that is read-only', { command: 'rename', old_path: 'law', new_path: 'x' }, 'is read-only'],
  ])('refuses %s, and changes nothing', async (_, args, message) => {
    const id = await agentWith({ human: 'Ada' })
    const law = await server.alice.post('/v1/blocks/', { label: 'law', value: 'Be kind.', read_only: true })
    await server.alice.patch(`/v1/agents/${id}/core-memory/blocks/attach/${law.body.id}`)
    expect(await memory(id, args)).toMatchObject({ status: 'error', tool_return: expect.stringContaining(message) })
    expect(await valuesOf(id)).toEqual({ human: 'Ada', law: 'Be kind.' })
  })

  test('several calls in one step see what the ones before have left, and history names each', async () => {
    const id = await agentWith({})
    const calls = [
      { command: 'create', path: 'a', description: 'A.', file_text: 'x' },
      { command: 'insert', path: 'a', insert_text: 'y' },
      { command: 'rename', old_path: 'a', new_path: 'b' },
      { command: 'create', path: 'gone', description: 'Nothing.' },
      { command: 'delete', path: 'gone' },
    ].map((args) => callOf('memory', args))
    const { body } = await server.alice.post(`/v1/agents/${id}/messages`, { input: calls.join('\n') })
    expect(body.messages.at(-2).tool_returns.map(({ status }: { status: string }) => status)).toEqual(
      Array(5).fill('success'),
    )
    const [block, ...others] = await blocksOf(id)
    expect([block, others]).toMatchObject([{ label: 'b', value: 'x\ny' }, []])
    const { rows } = await sql<{ author: object }>`
      select author from revisions where resource_id = ${block!.id} and kind = 'block'`.execute(server.database.kysely)
    expect(rows).toEqual([
      {
        author: {
          agent_id: id,
          run_id: body.messages[0].run_id,
          tool_call_id: body.messages[0].tool_calls[2].tool_call_id,
        },
      },
    ])
  })

  test('a label that another agent of the block has already fails the call, and the other calls stay', async () => {
    const shared = await server.alice.post('/v1/blocks/', { label: 'shared', value: 's' })
    const id = await agentWith({ human: 'Ada' }, { block_ids: [shared.body.id] })
    await agentWith({ taken: 'x' }, { block_ids: [shared.body.id] })
    const input = [
      callOf('memory', { command: 'insert', path: 'human', insert_text: 'Likes tea' }),
      callOf('memory', { command: 'rename', old_path: 'shared', new_path: 'taken' }),
    ].join('\n')
    const { body } = await server.alice.post(`/v1/agents/${id}/messages`, { input })
    expect(body.messages.at(-2).tool_returns).toMatchObject([
      { status: 'success' },
      { status: 'error', tool_return: expect.stringContaining('two blocks with the same label') },
    ])
    expect(await valuesOf(id)).toEqual({ human: 'Ada\nLikes tea', shared: 's' })
  })
})

describe('the tool memory_apply_patch', () => {
  const patch = (id: string, text: string, label = 'human') =>
    callTool(server.alice, id, 'memory_apply_patch', { label, patch: text })

  test('changes the lines of a block', async () => {
    const id = await agentWith({ human: 'Name: Ada\nLikes: tea\nAge: 36' })
    expect(await patch(id, '@@\n Name: Ada\n-Likes: tea\n+Likes: coffee\n@@\n-Age: 36')).toMatchObject({
      status: 'success',
      tool_return: 'Name: Ada\nLikes: coffee',
    })
  })

  test('with headers makes, changes, renames and removes several blocks', async () => {
    const id = await agentWith({ human: 'Ada', old: 'x', gone: 'y' })
    const text = [
      '*** Begin Patch',
      '*** Add Block: new',
      '+One',
      '+Two',
      '*** Update Block: human',
      '-Ada',
      '+Ada Lovelace',
      '*** Update Block: old',
      '*** Move to: renamed',
      '*** Delete Block: gone',
      '*** End Patch',
    ].join('\n')
    expect(await patch(id, text)).toMatchObject({ status: 'success' })
    expect(await valuesOf(id)).toEqual({ human: 'Ada Lovelace', renamed: 'x', new: 'One\nTwo' })
  })

  test.each([
    ['a line that is not there', '-Bob\n+Eve', 'does not have its lines'],
    ['lines that stand twice', ' x\n+y', 'has its lines 2 times'],
    [
      'several blocks of which one is missing',
      '*** Add Block: new\n+x\n*** Delete Block: none',
      'no memory block "none"',
    ],
    ['no change', '', 'changes nothing'],
  ])('of %s changes nothing', async (_, text, message) => {
    const id = await agentWith({ human: 'x\nAda\nx' })
    expect(await patch(id, text)).toMatchObject({ status: 'error', tool_return: expect.stringContaining(message) })
    expect(await valuesOf(id)).toEqual({ human: 'x\nAda\nx' })
  })
})

test('memory_rethink makes the block that the agent lacks', async () => {
  const id = await agentWith({ human: 'Ada' })
  const rethink = (label: string, new_memory: string) =>
    callTool(server.alice, id, 'memory_rethink', { label, new_memory })
  expect(await rethink('plan', 'Rest.')).toEqual({ status: 'success', tool_return: 'Rest.' })
  expect(await rethink('human', 'Ada Lovelace')).toEqual({ status: 'success', tool_return: 'Ada Lovelace' })
  expect(await valuesOf(id)).toEqual({ human: 'Ada Lovelace', plan: 'Rest.' })
})

test('memory_replace takes its arguments by their older names, too', async () => {
  const id = await agentWith({ human: 'Ada' })
  const args = { label: 'human', old_str: 'Ada', new_str: 'Eve' }
  expect(await callTool(server.alice, id, 'memory_replace', args)).toMatchObject({ tool_return: 'Eve' })
})
