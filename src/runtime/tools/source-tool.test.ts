import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { useTestServer } from '../../../test/server.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })
let kind: string
beforeAll(async () => {
  kind = (await server.app.sandbox.opened()).kind
})

const REMEMBER = `
def remember(fact: str, agent_state) -> str:
    """Adds a fact.

    Args:
        fact: The fact.
    """
    print("aside")
    human = agent_state.memory.get_block("human")
    agent_state.memory.update_block_value("human", human.value + " " + fact)
    return {"noted": fact}
`

async function agentWith(source_code: string, block: object = {}) {
  const { id: tool } = (await server.alice.call('PUT', '/v1/tools/', { source_code })).body
  const memory_blocks = [{ label: 'human', value: 'Ada', ...block }]
  const body = { name: 'A', include_base_tools: false, tool_ids: [tool], memory_blocks }
  return (await server.alice.post('/v1/agents/', body)).body.id as string
}

const send = async (agent: string, input: string) =>
  (await server.alice.post(`/v1/agents/${agent}/messages`, { input })).body.messages.find(
    ({ message_type }: { message_type: string }) => message_type === 'tool_return_message',
  )

describe('a tool with source code that an agent calls', () => {
  test('returns as Python writes it, and its change of memory has the agent as its author', async ({ skip }) => {
    if (kind === 'none') skip('no sandbox on this machine')
    const agent = await agentWith(REMEMBER)
    const returned = await send(agent, '!call remember {"fact": "36"}')
    expect(returned).toMatchObject({ status: 'success', tool_return: "{'noted': '36'}", stdout: ['aside\n'] })
    const block = (await server.alice.get(`/v1/agents/${agent}/core-memory/blocks/human`)).body
    expect(block.value).toBe('Ada 36')
    const { rows } = await sql<{ author: object }>`
      select author from revisions where resource_id = ${block.id} and operation = 'update'`.execute(
      server.database.kysely,
    )
    expect(rows).toMatchObject([{ author: { agent_id: agent, run_id: returned.run_id } }])
  })

  test('may not change a block that is read-only, and the model reads why', async ({ skip }) => {
    if (kind === 'none') skip('no sandbox on this machine')
    const agent = await agentWith(REMEMBER, { read_only: true })
    const returned = await send(agent, '!call remember {"fact": "36"}')
    expect(returned).toMatchObject({ status: 'error', tool_return: expect.stringContaining('read-only') })
  })

  test('that raises has the error as its return, and the run goes on', async ({ skip }) => {
    if (kind === 'none') skip('no sandbox on this machine')
    const agent = await agentWith('def fail():\n    """Fails."""\n    raise ValueError("bad")')
    expect(await send(agent, '!call fail {}')).toMatchObject({
      status: 'error',
      tool_return: 'Error executing function fail: ValueError: bad',
      stderr: [expect.stringContaining('line 3, in fail')],
    })
  })

  test('without a sandbox fails with the remedy, and the run goes on', async () => {
    const agent = await agentWith('def none():\n    """Does nothing."""')
    const refusing = await server.another({ sandbox: 'off' })
    const { body } = await refusing.alice.post(`/v1/agents/${agent}/messages`, { input: '!call none {}' })
    expect(body.messages[1]).toMatchObject({ status: 'error', tool_return: expect.stringContaining('CAIRN_SANDBOX') })
    expect(body.stop_reason.stop_reason).toBe('end_turn')
  })
})
