import { describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../../test/server.ts'
import type { Tool } from '../../tools/schema.ts'

const server = useTestServer()

const NO_TOOL = 'tool-00000000-0000-4000-8000-000000000000'
const NO_AGENT = 'agent-00000000-0000-4000-8000-000000000000'

async function makeAgent(client: Client, more: object = {}): Promise<string> {
  const made = await client.post('/v1/agents/', {
    name: 'Ada',
    model: 'openai/gpt-4o-mini',
    include_base_tools: false,
    ...more,
  })
  expect(made.status).toBe(200)
  return made.body.id
}

async function makeTool(client: Client, name: string, more: object = {}): Promise<string> {
  return (await client.post('/v1/tools/', { source_code: 'pass', json_schema: { name }, ...more })).body.id
}

const toolsOf = async (client: Client, agent: string) =>
  (await client.get<Tool[]>(`/v1/agents/${agent}/tools`)).body.map(({ name }) => name)
const rulesOf = async (client: Client, agent: string) => (await client.get(`/v1/agents/${agent}`)).body.tool_rules ?? []
const approval = (tool_name: string) => ({ type: 'requires_approval', tool_name })

describe('tools of an agent', () => {
  test('attached tools are listed newest first and paged, and detached ones are gone', async () => {
    const { alice } = server
    const agent = await makeAgent(alice)
    const ids: string[] = []
    for (const name of ['one', 'two', 'three']) ids.push(await makeTool(alice, name))
    for (const id of [ids[2], ids[0], ids[1]]) {
      const attached = await alice.patch(`/v1/agents/${agent}/tools/attach/${id}`)
      expect([attached.status, attached.body]).toEqual([200, null])
    }
    expect(await toolsOf(alice, agent)).toEqual(['three', 'two', 'one'])
    const page = await alice.get<Tool[]>(`/v1/agents/${agent}/tools?limit=1&order=asc&after=${ids[0]}`)
    expect(page.body.map(({ id }) => id)).toEqual([ids[1]])
    expect(page.headers.link).toContain('rel="next"')
    const detached = await alice.patch(`/v1/agents/${agent}/tools/detach/${ids[1]}`)
    expect([detached.status, detached.body]).toEqual([200, null])
    expect(await toolsOf(alice, agent)).toEqual(['three', 'one'])
  })

  test('attaching twice and detaching what is not attached change nothing', async () => {
    const { alice } = server
    const agent = await makeAgent(alice)
    const tool = await makeTool(alice, 'again', { default_requires_approval: true })
    const etag = async () => (await alice.get(`/v1/agents/${agent}`)).headers.etag
    await alice.patch(`/v1/agents/${agent}/tools/attach/${tool}`)
    await alice.patch(`/v1/agents/${agent}/tools/approval/again`, { requires_approval: false })
    const before = await etag()
    expect((await alice.patch(`/v1/agents/${agent}/tools/attach/${tool}`)).status).toBe(200)
    expect(await etag()).toBe(before)
    expect(await rulesOf(alice, agent)).toEqual([])
    await alice.patch(`/v1/agents/${agent}/tools/detach/${tool}`)
    const after = await etag()
    expect(after).not.toBe(before)
    expect((await alice.patch(`/v1/agents/${agent}/tools/detach/${tool}`)).status).toBe(200)
    expect(await etag()).toBe(after)
  })

  test('attaching a tool that asks for approval adds the rule, and detaching it leaves the rules', async () => {
    const { alice } = server
    const given = { type: 'run_first', tool_name: 'send_message' }
    const agent = await makeAgent(alice, { include_base_tool_rules: false, tool_rules: [given] })
    const tool = await makeTool(alice, 'launch', { default_requires_approval: true })
    await alice.patch(`/v1/agents/${agent}/tools/attach/${tool}`)
    expect(await rulesOf(alice, agent)).toEqual([given, approval('launch')])
    await alice.patch(`/v1/agents/${agent}/tools/detach/${tool}`)
    await alice.patch(`/v1/agents/${agent}/tools/attach/${tool}`)
    expect(await rulesOf(alice, agent)).toEqual([given, approval('launch')])
  })

  test('attaching under If-Match happens on the version named, and on no other', async () => {
    const { alice } = server
    const agent = await makeAgent(alice)
    const tool = await makeTool(alice, 'guarded', { default_requires_approval: true })
    const stale = (await alice.get(`/v1/agents/${agent}`)).headers.etag!
    await alice.patch(`/v1/agents/${agent}`, { description: 'Changed' })
    const url = `/v1/agents/${agent}/tools/attach/${tool}`
    expect((await alice.patch(url, undefined, { 'if-match': stale })).status).toBe(412)
    expect(await toolsOf(alice, agent)).toEqual([])
    const current = (await alice.get(`/v1/agents/${agent}`)).headers.etag!
    expect((await alice.patch(url, undefined, { 'if-match': current })).status).toBe(200)
    expect(await rulesOf(alice, agent)).toEqual([approval('guarded')])
  })

  test('tools attached at the same moment all come with their rules', async () => {
    const { alice } = server
    const agent = await makeAgent(alice)
    const names = ['r1', 'r2', 'r3', 'r4']
    const ids: string[] = []
    for (const name of names) ids.push(await makeTool(alice, name, { default_requires_approval: true }))
    await Promise.all(ids.map((id) => alice.patch(`/v1/agents/${agent}/tools/attach/${id}`)))
    const rules: { tool_name: string }[] = await rulesOf(alice, agent)
    expect(rules.map(({ tool_name }) => tool_name).sort()).toEqual(names)
  })

  test('an agent or a tool that is not there, or is another organization’s, is a 404', async () => {
    const { alice, bob } = server
    const hers = await makeAgent(alice)
    const his = await makeAgent(bob)
    const herTool = await makeTool(alice, 'hers_alone')
    const hisTool = await makeTool(bob, 'his_alone')
    for (const verb of ['attach', 'detach']) {
      for (const [agent, tool] of [
        [hers, hisTool],
        [hers, NO_TOOL],
        [his, herTool],
        [NO_AGENT, herTool],
      ]) {
        expect((await alice.patch(`/v1/agents/${agent}/tools/${verb}/${tool}`)).status).toBe(404)
      }
    }
    expect((await alice.get(`/v1/agents/${his}/tools`)).status).toBe(404)
    expect((await alice.get(`/v1/agents/${NO_AGENT}/tools`)).status).toBe(404)
    expect((await alice.patch(`/v1/agents/${his}/tools/approval/his_alone?requires_approval=1`)).status).toBe(404)
    expect(await toolsOf(alice, hers)).toEqual([])
    expect(await toolsOf(bob, his)).toEqual([])
  })
})

describe('approval', () => {
  test('is asked for and waived by body, by its other name, or by query; the body wins', async () => {
    const { alice } = server
    const agent = await makeAgent(alice, { tools: ['run_code'] })
    const base = await rulesOf(alice, agent)
    const url = `/v1/agents/${agent}/tools/approval/run_code`
    const asked = [...base, approval('run_code')]
    const set = async (query: string, body: object | undefined, rules: object[]) => {
      const reply = await alice.patch(`${url}${query}`, body)
      expect([reply.status, reply.body]).toEqual([200, null])
      expect(await rulesOf(alice, agent)).toEqual(rules)
    }
    await set('', { requires_approval: true }, asked)
    await set('', { requires_approval: true }, asked)
    await set('', { body_requires_approval: false }, base)
    await set('?requires_approval=true', undefined, asked)
    await set('?requires_approval=true', { requires_approval: false }, base)
    for (const body of [undefined, {}, { requires_approval: null }, { requires_approval: 'yes' }, { approve: true }]) {
      expect((await alice.patch(url, body)).status).toBe(422)
    }
    expect(await rulesOf(alice, agent)).toEqual(base)
  })

  test('of a tool the agent does not have is a 404', async () => {
    const { alice } = server
    const agent = await makeAgent(alice, { tools: ['run_code'] })
    const before = await rulesOf(alice, agent)
    for (const name of ['web_search', 'no%20such', 'RUN_CODE']) {
      const url = `/v1/agents/${agent}/tools/approval/${name}`
      expect((await alice.patch(url, { requires_approval: true })).status).toBe(404)
    }
    expect(await rulesOf(alice, agent)).toEqual(before)
  })

  test('goes on being asked for when the tool is renamed', async () => {
    const { alice, bob } = server
    const tool = await makeTool(alice, 'old_name', { default_requires_approval: true })
    await makeTool(bob, 'old_name')
    const agent = await makeAgent(alice)
    const his = await makeAgent(bob, { tools: ['old_name'] })
    await bob.patch(`/v1/agents/${his}/tools/approval/old_name`, { requires_approval: true })
    await alice.patch(`/v1/agents/${agent}/tools/attach/${tool}`)
    await alice.patch(`/v1/agents/${agent}`, {
      tool_rules: [
        approval('old_name'),
        { type: 'constrain_child_tools', tool_name: 'send_message', children: ['old_name', 'memory'] },
      ],
    })
    expect((await alice.patch(`/v1/tools/${tool}`, { json_schema: { name: 'new_name' } })).status).toBe(200)
    expect(await rulesOf(alice, agent)).toEqual([
      approval('new_name'),
      { type: 'constrain_child_tools', tool_name: 'send_message', children: ['new_name', 'memory'] },
    ])
    expect(await rulesOf(bob, his)).toContainEqual(approval('old_name'))
  })
})

test('a deleted tool is detached from its agents, who show that they have changed', async () => {
  const { alice } = server
  const tool = await makeTool(alice, 'doomed')
  const agent = await makeAgent(alice, { tool_ids: [tool] })
  const other = await makeAgent(alice)
  const etag = async (id: string) => (await alice.get(`/v1/agents/${id}`)).headers.etag
  const before = [await etag(agent), await etag(other)]
  expect((await alice.delete(`/v1/tools/${tool}`)).status).toBe(200)
  expect(await toolsOf(alice, agent)).toEqual([])
  expect(await etag(agent)).not.toBe(before[0])
  expect(await etag(other)).toBe(before[1])
})
