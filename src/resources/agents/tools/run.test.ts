import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../../test/server.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
let hasSandbox: boolean
let hasTypeScript: boolean
beforeAll(async () => {
  const { kind, note } = await server.app.sandbox.opened()
  hasSandbox = kind !== 'none'
  hasTypeScript = hasSandbox && !note.includes('no Deno')
})

/** Stores a tool; its source is the function `tool_<n>` with this head and body. */
async function makeTool(client: Client, parameters: string, ...body: string[]) {
  const name = `tool_${randomUUID().slice(0, 8)}`
  const source_code = [`def ${name}(${parameters}):`, ...body].join('\n    ')
  const made = await client.post('/v1/tools/', { source_code, json_schema: { name } })
  expect(made.status).toBe(200)
  return { id: made.body.id as string, name }
}

async function makeAgent(client: Client, tools: { id: string }[], more: object = {}) {
  const tool_ids = tools.map(({ id }) => id)
  const memory_blocks = [{ label: 'human', value: 'Ada' }]
  const made = await client.post('/v1/agents/', {
    name: 'A',
    include_base_tools: false,
    tool_ids,
    memory_blocks,
    ...more,
  })
  expect(made.status).toBe(200)
  return made.body.id as string
}

const run = (client: Client, agent: string, { name }: { name: string }, args: object = {}) =>
  client.post(`/v1/agents/${agent}/tools/${name}/run`, { args })

const humanOf = async (client: Client, agent: string) =>
  (await client.get(`/v1/agents/${agent}/core-memory/blocks/human`)).body.value

test('without a sandbox, a tool is refused and the remedy named', async () => {
  const refusing = await server.another({ sandbox: 'off' })
  const body = { source_code: 'def f():\n    """F."""\n    return 1', args: {} }
  const { status, body: reply } = await refusing.alice.post('/v1/tools/run', body)
  expect(status).toBe(200)
  expect(reply).toMatchObject({ status: 'error', tool_return: expect.stringContaining('CAIRN_SANDBOX') })
})

describe('a tool run by itself', () => {
  test('returns, prints and reads its variables, and nothing is stored', async ({ skip }) => {
    if (!hasSandbox) skip('no sandbox on this machine')
    const source_code =
      'import os\ndef g(): pass\ndef f(n: int):\n    print("out")\n    return {"n": n, "v": os.environ["V"]}'
    const { body } = await server.alice.post('/v1/tools/run', { source_code, args: { n: 2 }, env_vars: { V: 'w' } })
    expect(body).toMatchObject({ id: 'null', status: 'success', tool_return: "{'n': 2, 'v': 'w'}", stdout: ['out\n'] })
    expect((await server.alice.get('/v1/tools/?name=f')).body).toEqual([])
  })

  test('in TypeScript needs no description, and is the last function that is exported', async ({ skip }) => {
    if (!hasTypeScript) skip('no Deno on this machine')
    const source_code = 'export const less = (a: number, b: any) => minus(a, b)\nfunction minus(x, y) { return x - y }'
    const { body } = await server.alice.post('/v1/tools/run', {
      source_code,
      source_type: 'typescript',
      args: { b: 2, a: 7 },
    })
    expect(body).toMatchObject({ status: 'success', tool_return: '5' })
  })

  test('with a source that can’t be read is a 422 that names the line', async () => {
    const { status, body } = await server.alice.post('/v1/tools/run', { source_code: 'def broken(', args: {} })
    expect([status, body.errors[0].message]).toEqual([422, expect.stringContaining('line 1')])
  })

  test('that is stored runs by its id, in its own organization alone', async ({ skip }) => {
    if (!hasSandbox) skip('no sandbox on this machine')
    const tool = await makeTool(server.alice, 'n: int', 'return [n, None]')
    const { body } = await server.alice.post(`/v1/tools/${tool.id}/run`, { args: { n: 1 } })
    expect(body).toEqual({ status: 'success', func_return: [1, null], stdout: [], stderr: [] })
    expect((await server.bob.post(`/v1/tools/${tool.id}/run`, { args: { n: 1 } })).status).toBe(404)
  })

  test('runs once for one Idempotency-Key, and its result is sent again', async ({ skip }) => {
    if (!hasSandbox) skip('no sandbox on this machine')
    const source_code = 'import uuid\ndef f():\n    return uuid.uuid4().hex'
    const tool = await makeTool(server.alice, '', 'import uuid', 'return uuid.uuid4().hex')
    const agent = await makeAgent(server.alice, [tool])
    for (const [url, body] of [
      ['/v1/tools/run', { source_code, args: {} }],
      [`/v1/tools/${tool.id}/run`, {}],
      [`/v1/agents/${agent}/tools/${tool.name}/run`, {}],
    ] as const) {
      const headers = { 'idempotency-key': randomUUID() }
      const first = await server.alice.post(url, body, headers)
      expect(first.body.status).toBe('success')
      expect((await server.alice.post(url, body, headers)).body).toEqual(first.body)
      expect((await server.alice.post(url, body)).body).not.toEqual(first.body)
    }
  })

  test('needs a key that may write', async () => {
    const reader = await server.withScopes('read')
    expect((await reader.post('/v1/tools/run', { source_code: 'def f(): pass', args: {} })).status).toBe(403)
  })
})

describe('a tool of an agent, run by a caller', () => {
  test('has the agent’s secrets and ids, and those of nobody else', async ({ skip }) => {
    if (!hasSandbox) skip('no sandbox on this machine')
    const tool = await makeTool(server.alice, '', 'import os', 'return dict(os.environ)')
    const agent = await makeAgent(server.alice, [tool], { secrets: { TOKEN: 'hers' } })
    const other = await makeAgent(server.alice, [tool])
    const { func_return } = (await run(server.alice, agent, tool)).body
    expect(func_return).toMatchObject({
      TOKEN: 'hers',
      CAIRN_AGENT_ID: agent,
      LETTA_AGENT_ID: agent,
      LETTA_TOOL_ID: tool.id,
    })
    expect((await run(server.alice, other, tool)).body.func_return).not.toHaveProperty('TOKEN')
    expect((await run(server.bob, agent, tool)).status).toBe(404)
  })

  test('changes its memory, and the history names the agent', async ({ skip }) => {
    if (!hasSandbox) skip('no sandbox on this machine')
    const tool = await makeTool(
      server.alice,
      'agent_state',
      'agent_state.memory.update_block_value("human", "Grace")',
      'return agent_state.id',
    )
    const agent = await makeAgent(server.alice, [tool])
    expect((await run(server.alice, agent, tool)).body).toMatchObject({ status: 'success', func_return: agent })
    expect(await humanOf(server.alice, agent)).toBe('Grace')
  })

  test('that fails changes nothing, and its traceback is in stderr', async ({ skip }) => {
    if (!hasSandbox) skip('no sandbox on this machine')
    const tool = await makeTool(
      server.alice,
      'agent_state',
      'agent_state.memory.update_block_value("human", "Grace")',
      'raise ValueError("bad")',
    )
    const agent = await makeAgent(server.alice, [tool])
    const { body } = await run(server.alice, agent, tool)
    expect(body).toMatchObject({ status: 'error', stderr: [expect.stringContaining('ValueError: bad')] })
    expect(body).not.toHaveProperty('func_return')
    expect(await humanOf(server.alice, agent)).toBe('Ada')
  })

  test('may not change a block that is read-only', async ({ skip }) => {
    if (!hasSandbox) skip('no sandbox on this machine')
    const tool = await makeTool(server.alice, 'agent_state', 'agent_state.memory.update_block_value("human", "x")')
    const memory_blocks = [{ label: 'human', value: 'Ada', read_only: true }]
    const agent = await makeAgent(server.alice, [tool], { memory_blocks })
    expect((await run(server.alice, agent, tool)).body).toMatchObject({
      status: 'error',
      stderr: [expect.stringContaining('read-only')],
    })
    expect(await humanOf(server.alice, agent)).toBe('Ada')
  })

  test('may be a built-in one', async () => {
    const agent = await makeAgent(server.alice, [], { tools: ['core_memory_append'] })
    const args = { label: 'human', content: 'Grace' }
    expect((await run(server.alice, agent, { name: 'core_memory_append' }, args)).body.status).toBe('success')
    expect(await humanOf(server.alice, agent)).toBe('Ada\nGrace')
  })

  test('that it doesn’t have is a 404', async () => {
    const tool = await makeTool(server.alice, '', 'return 1')
    const agent = await makeAgent(server.alice, [])
    expect((await run(server.alice, agent, tool)).status).toBe(404)
  })

  test('returns no more than its limit', async ({ skip }) => {
    if (!hasSandbox) skip('no sandbox on this machine')
    const tool = await makeTool(server.alice, '', 'return "x" * 1000')
    await server.alice.patch(`/v1/tools/${tool.id}`, { return_char_limit: 10 })
    const agent = await makeAgent(server.alice, [tool])
    expect((await run(server.alice, agent, tool)).body.func_return).toMatch(/^x{10}… \[cut/)
  })
})
