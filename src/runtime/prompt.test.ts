import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ScriptedModel, startScriptedModel } from '../../test/models/scripted/model.ts'
import { useTestServer } from '../../test/server.ts'
import { loadAgent } from '../resources/agents/load.ts'
import { createMemory } from './memory.ts'
import { stablePrompt } from './prompt.ts'

const server = useTestServer()
let model: ScriptedModel
beforeAll(async () => {
  model = await startScriptedModel()
})
afterAll(() => model.close())

async function makeAgent(more: object = {}): Promise<string> {
  const { status, body } = await server.alice.post('/v1/agents/', {
    system: 'You are Ada.',
    llm_config: {
      model: 'scripted',
      model_endpoint_type: 'openai',
      model_endpoint: model.url,
      context_window: 128_000,
    },
    memory_blocks: [{ label: 'human', value: 'Likes tea.\nLikes rain.', description: 'The user.', limit: 500 }],
    ...more,
  })
  expect([status, body.detail]).toEqual([200, undefined])
  return body.id
}

/** The system prompt that the model gets with a message. */
async function promptWith(id: string, body: object = {}): Promise<string> {
  expect(await server.alice.post(`/v1/agents/${id}/messages`, { input: 'Hello', ...body })).toMatchObject({
    status: 200,
  })
  return model.requests.at(-1)!.body.messages[0].content
}

const storedPrompt = async (id: string) =>
  (await server.alice.get(`/v1/agents/${id}/messages?order=asc&limit=1`)).body[0].content

describe('the prompt of an agent', () => {
  test('shows its memory blocks, its tool rules and its time', async () => {
    const id = await makeAgent({
      timezone: 'Asia/Tokyo',
      tool_rules: [{ type: 'run_first', tool_name: 'memory_insert' }],
      include_base_tool_rules: false,
    })
    const prompt = await promptWith(id)
    expect(prompt.startsWith('You are Ada.\n\n<memory_blocks>')).toBe(true)
    expect(prompt).toContain(
      '<human>\n<description>\nThe user.\n</description>\n<metadata>\n- chars_current=22\n- chars_limit=500\n</metadata>\n' +
        '<value>\nLikes tea.\nLikes rain.\n</value>\n</human>',
    )
    expect(prompt).toContain('<tool_rule>\nBegin with a call of "memory_insert".\n</tool_rule>')
    expect(prompt).toMatch(/- System prompt last recompiled: \d{4}-\d\d-\d\dT[\d:.]+\+09:00\n/)
    expect(prompt).toContain(`- AGENT_ID: ${id}\n- CONVERSATION_ID: default\n`)
    expect(await storedPrompt(id)).toBe(prompt)
  })

  test('has its memory where its text says so, and leaves other braces', async () => {
    const prompt = await promptWith(await makeAgent({ system: 'A {CORE_MEMORY} B {other} $1.' }))
    expect(prompt).toMatch(/^A <memory_blocks>[\s\S]*<\/memory_blocks> B \{other\} \$1\.\n\n<memory_metadata>/)
  })

  test('numbers the lines of blocks for models of Anthropic', async () => {
    const llm_config = { model: 'claude', model_endpoint_type: 'anthropic', context_window: 100_000 }
    const promptOf = async (agent_type: string) => {
      const scope = server.scopeOf(server.organizations.alice)
      const agent = await loadAgent(scope, await makeAgent({ llm_config, agent_type }))
      return stablePrompt(agent, createMemory(agent.blocks), [])
    }
    expect(await promptOf('svc_v1_agent')).toContain('<value>\n1→ Likes tea.\n2→ Likes rain.\n</value>')
    expect(await promptOf('mem_agent')).toContain('<value>\nLikes tea.\nLikes rain.\n</value>')
    expect(await promptOf('react_agent')).not.toContain('Likes tea.')
  })

  test('stays the same to the byte until something in it changes, and during a run', async () => {
    const id = await makeAgent()
    const first = await promptWith(id)
    expect(await promptWith(id)).toBe(first)
    const insert = '!call memory_insert {"label": "human", "new_string": "Likes snow."}'
    expect(await promptWith(id, { input: insert })).toBe(first)
    const changed = await promptWith(id)
    expect(changed).toContain('Likes rain.\nLikes snow.')
    expect(changed).toContain('- 0 previous messages')
    await server.alice.patch(`/v1/agents/${id}`, { system: 'You are Bob.' })
    expect(await promptWith(id)).toMatch(/^You are Bob\./)
  })

  test('says how many messages and passages lie outside of the context, and how those are tagged', async () => {
    const id = await makeAgent({ message_buffer_autoclear: true })
    await promptWith(id)
    await promptWith(id)
    await server.alice.post(`/v1/agents/${id}/archival-memory`, {
      text: 'Tea comes from China.',
      tags: ['tea', 'china'],
    })
    await server.alice.patch(`/v1/agents/${id}/core-memory/blocks/human`, { value: 'Likes coffee.' })
    const prompt = await promptWith(id)
    expect(prompt).toContain('- 2 previous messages')
    expect(prompt).toContain('- 1 passages are stored in archival memory\n- Tags in archival memory: china, tea\n')
  })

  test('shows its folders, and the text of their open files', async () => {
    const folder = await server.alice.post('/v1/folders/', { name: 'Docs', instructions: 'Cite these.' })
    const id = await makeAgent({ folder_ids: [folder.body.id] })
    const form = new FormData()
    form.append('file', new Blob(['The sky is blue.'], { type: 'text/plain' }), 'sky.txt')
    expect(await server.alice.post(`/v1/folders/${folder.body.id}/upload`, form)).toMatchObject({ status: 200 })
    await server.settle()
    const prompt = await promptWith(id)
    expect(prompt).toContain('<file_limits>\n- current_files_open=1\n')
    expect(prompt).toContain(
      '<directory name="Docs">\n<instructions>\nCite these.\n</instructions>\n<file status="open"',
    )
    expect(prompt).toContain('The sky is blue.')
    const { files } = (await server.alice.get(`/v1/agents/${id}/files`)).body
    await server.alice.patch(`/v1/agents/${id}/files/${files[0].file_id}/close`)
    const closed = await promptWith(id)
    expect(closed).toContain('<file status="closed"')
    expect(closed).not.toContain('The sky is blue.')
  })

  test('has the skills of the caller, or is the caller’s own, for one request', async () => {
    const id = await makeAgent()
    const plain = await promptWith(id)
    const client_skills = [{ name: 'pdf', description: 'Reads PDF files.', location: '/skills/pdf.md' }]
    const skilled = await promptWith(id, { client_skills })
    expect(skilled).toMatch(/<available_skills>[\s\S]*- name: pdf\n- location: \/skills\/pdf\.md\nReads PDF files\./)
    expect(skilled.startsWith(plain)).toBe(true)
    expect(await promptWith(id, { override_system: 'Be brief.', client_skills })).toBe('Be brief.')
    expect([await promptWith(id), await storedPrompt(id)]).toEqual([plain, plain])
  })
})

test('a message of 200,000 characters, with tools of the caller of 60,000, is answered', async () => {
  const id = await makeAgent()
  const description = 'd'.repeat(60_000)
  const client_tools = [{ name: 'ask', description, parameters: { type: 'object', properties: {} } }]
  const history = { role: 'assistant', content: 'I said this before.' }
  const messages = [history, { role: 'user', content: 'x'.repeat(200_000) }]
  const reply = await server.alice.post(`/v1/agents/${id}/messages`, {
    messages,
    client_tools,
    enable_thinking: 'true',
  })
  expect(reply.status).toBe(200)
  const { body } = model.requests.at(-1)!
  expect(
    body.messages.slice(1).map(({ role, content }: { role: string; content: string }) => [role, content.length]),
  ).toEqual([
    ['assistant', 19],
    ['user', 200_000],
  ])
  expect(body.tools.at(-1).function.description).toHaveLength(60_000)
})
