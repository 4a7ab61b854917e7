import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importFile, type Json } from '../../../test/agent-export.ts'
import { rowsOf } from '../../../test/rows.ts'
import { startTestServer, type TestServer } from '../../../test/server.ts'

let server: TestServer
let before: Record<string, string[]>
beforeAll(async () => {
  server = await startTestServer()
  before = await rowsOf(server.database, server.organizations.alice)
})
afterAll(() => server.close())

/** What a file is refused for, as `agents[0].name: must be a string`, and that nothing of it was made. */
async function refused(file: string | object, status = 422, fields?: Record<string, string>): Promise<string[]> {
  const reply = await importFile(server.alice, file, fields)
  expect([reply.status, JSON.stringify(reply.body).slice(0, 300)]).toEqual([status, expect.any(String)])
  expect(await rowsOf(server.database, server.organizations.alice)).toEqual(before)
  return (reply.body.errors ?? []).map(({ field, message }: Json) => `${field}: ${message}`)
}

const tool = (id: string, name: string, more: object = {}) => ({
  id,
  name,
  tool_type: 'custom',
  source_code: '#',
  json_schema: { name },
  ...more,
})

/** A good file, with parts of its own instead. */
const fileWith = (agent: object, parts: object = {}) => ({
  agents: [
    { id: 'agent-0', name: 'Broken', tool_ids: ['tool-0'], block_ids: ['block-0'], source_ids: ['source-0'], ...agent },
  ],
  blocks: [{ id: 'block-0', label: 'human', value: 'Ann' }],
  tools: [tool('tool-0', 'mine')],
  sources: [{ id: 'source-0', name: 'Papers' }],
  ...parts,
})

describe('a file that is not JSON is refused, with the place where it breaks', () => {
  test.each([
    ['{"agents": [', 'file: is not JSON at line 1, column 13: close bracket expected'],
    ['{\n  "agents": [\n    nope\n  ]\n}', 'file: is not JSON at line 3, column 5: invalid symbol'],
    ['{"agents": [],}', 'file: is not JSON at line 1, column 15: property name expected'],
    ['hello', 'file: is not JSON at line 1, column 1: invalid symbol'],
    [
      JSON.stringify('{"agents":\n [1 2]}'),
      'file: the text inside the JSON string is not JSON at line 2, column 5: comma expected',
    ],
    ['['.repeat(200_000), 'file: is not JSON somewhere: it is nested too deeply to tell where'],
  ])('%#', async (text, fault) => {
    expect(await refused(text, 400)).toEqual([fault])
  })
})

describe('a file that is JSON and no agent file is refused', () => {
  test.each([
    ['null', 'file: must be a JSON object'],
    ['[]', 'file: must be a JSON object'],
    ['12', 'file: must be a JSON object'],
    ['{}', 'agents: must hold an agent at least'],
    ['{"agents": []}', 'agents: must hold an agent at least'],
    ['{"agents": {"id": "agent-0"}}', 'agents: must be an array'],
    ['{"agents": [null]}', 'agents[0]: must be an object'],
    ['{"agents": ["agent-0"]}', 'agents[0]: must be an object'],
  ])('%s', async (text, fault) => {
    expect(await refused(text)).toEqual([fault])
  })
})

describe('a file is refused with the place of what is wrong in it', () => {
  test.each<[string, object, ...string[]]>([
    [
      'an unknown type of agent',
      fileWith({ agent_type: 'x_agent' }),
      'agents[0].agent_type: must be one of mem_agent, ',
    ],
    [
      'an unknown type of tool',
      fileWith({}, { tools: [tool('tool-0', 'mine', { tool_type: 'letta_wings' })] }),
      'tools[0].tool_type: must be one of custom, ',
    ],
    [
      'an unknown provider',
      fileWith({ llm_config: { model: 'm', model_endpoint_type: 'abacus', context_window: 1 } }),
      'agents[0].llm_config.model_endpoint_type: must be one of openai, ',
    ],
    [
      'an unknown provider of embeddings',
      fileWith({ embedding_config: { embedding_model: 'm', embedding_endpoint_type: 'abacus', embedding_dim: 1 } }),
      'agents[0].embedding_config.embedding_endpoint_type: must be one of openai, ',
    ],
    [
      'an unknown kind of tool rule',
      fileWith({
        tool_rules: [
          { type: 'exit_loop', tool_name: 'mine' },
          { type: 'run_first', tool_name: 'mine' },
          { type: 'sometimes', tool_name: 'mine' },
        ],
      }),
      'agents[0].tool_rules[2].type: must be one of constrain_child_tools, ',
    ],
    [
      'a tool rule without what it needs',
      fileWith({ tool_rules: [{ type: 'max_count_per_step', tool_name: 'mine' }] }),
      'agents[0].tool_rules[0].max_count_limit: is required',
    ],
    [
      'a name by the other program’s word',
      fileWith({
        embedding_config: {
          embedding_model: 'm',
          embedding_endpoint_type: 'azure',
          embedding_dim: 1,
          azure_endpoint: 5,
        },
      }),
      'agents[0].embedding_config.azure_endpoint: must be a string',
    ],
    ['a wrong type', fileWith({ tags: 'a' }), 'agents[0].tags: must be an array'],
    ['a name no agent can have', fileWith({ name: 'a\nb' }), 'agents[0].name: must be text without control characters'],
    [
      'a time zone there is none of',
      fileWith({ timezone: 'Mars/Base' }),
      'agents[0].timezone: "Mars/Base" is not an IANA time zone',
    ],
    [
      'a model without a provider',
      fileWith({ model: 'gpt' }),
      'agents[0].model: must be a handle: provider/model-name',
    ],
    [
      'numbers that contradict each other',
      fileWith({
        llm_config: {
          model: 'm',
          model_endpoint_type: 'openai',
          context_window: 1,
          max_tokens: 5,
          max_reasoning_tokens: 6,
        },
      }),
      'agents[0].llm_config.max_reasoning_tokens: must be at most max_tokens, 5',
    ],
    [
      'a block that is not there',
      fileWith({ block_ids: ['block-7'] }),
      'agents[0].block_ids[0]: names "block-7", which is not among the file\'s blocks',
    ],
    ['a tool that is not there', fileWith({ tool_ids: ['tool-0', 'tool-1'] }), 'agents[0].tool_ids[1]: names "tool-1"'],
    ['a folder that is not there', fileWith({ folder_ids: ['source-1'] }), 'agents[0].folder_ids[0]: names "source-1"'],
    [
      'a message that is not there',
      fileWith({ in_context_message_ids: ['message-0'] }),
      'agents[0].in_context_message_ids[0]: names "message-0"',
    ],
    ['a tool there is none of', fileWith({ tools: ['nothing'] }), 'agents[0].tools[0]: no tool is named "nothing"'],
    [
      'a member that is not there',
      fileWith({}, { groups: [{ id: 'group-0', description: '', agent_ids: ['agent-0', 'agent-1'] }] }),
      'groups[0].agent_ids[1]: names "agent-1", which is not among the file\'s agents',
    ],
    [
      'a manager that is not there',
      fileWith(
        {},
        {
          groups: [
            {
              id: 'group-0',
              description: '',
              agent_ids: [],
              manager_config: { manager_type: 'supervisor', manager_agent_id: 'agent-1' },
            },
          ],
        },
      ),
      'groups[0].manager_config.manager_agent_id: names "agent-1"',
    ],
    [
      'a group without its manager',
      fileWith(
        {},
        { groups: [{ id: 'group-0', description: '', agent_ids: [], manager_config: { manager_type: 'supervisor' } }] },
      ),
      'groups[0].manager_config.manager_agent_id: is required',
    ],
    [
      'bounds of a buffer in the wrong order',
      fileWith(
        {},
        {
          groups: [
            {
              id: 'group-0',
              description: '',
              agent_ids: [],
              manager_config: {
                manager_type: 'voice_sleeptime',
                manager_agent_id: 'agent-0',
                min_message_buffer_length: 9,
                max_message_buffer_length: 8,
              },
            },
          ],
        },
      ),
      'groups[0].manager_config.max_message_buffer_length: must be greater than min_message_buffer_length, which is 9',
    ],
    [
      'the file of a folder that is not there',
      fileWith({}, { files: [{ id: 'file-0', source_id: 'source-9', file_name: 'a' }] }),
      'files[0].source_id: names "source-9", which is not among the file\'s sources',
    ],
    [
      'an open file that is not there',
      fileWith({ files_agents: [{ file_id: 'file-0' }] }),
      'agents[0].files_agents[0].file_id: names "file-0"',
    ],
    [
      'two blocks of one label',
      fileWith({ memory_blocks: [{ label: 'human', value: '' }] }),
      'agents[0].block_ids: names two blocks labelled "human"',
    ],
    [
      'two parts of one id',
      fileWith({}, { tools: [tool('tool-0', 'mine'), tool('tool-0', 'yours')] }),
      'tools[1].id: "tool-0" is there twice',
    ],
    [
      'two tools of one name',
      fileWith({}, { tools: [tool('tool-0', 'mine'), tool('tool-1', 'mine')] }),
      'tools[1].name: "mine" is the name of two tools',
    ],
    [
      'a tool told to models by another name',
      fileWith({}, { tools: [tool('tool-0', 'mine', { json_schema: { name: 'yours' } })] }),
      'tools[0].json_schema.name: must be the name of the tool, "mine"',
    ],
    [
      'a value longer than its limit',
      fileWith({}, { blocks: [{ id: 'block-0', label: 'human', value: '12345', limit: 4 }] }),
      'blocks[0].value: has 5 characters, more than the limit of 4',
    ],
    [
      'a message of nobody',
      fileWith({
        messages: [
          { id: 'message-0', role: 'user', content: 'a' },
          { id: 'message-1', role: 'ghost', content: 'b' },
        ],
      }),
      'agents[0].messages[1].role: must be one of assistant, user, ',
    ],
    [
      'a message from no time',
      fileWith({ messages: [{ id: 'message-0', role: 'user', content: 'a', created_at: 'yesterday' }] }),
      'agents[0].messages[0].created_at: must be a date and time since 1970, as in ISO 8601',
    ],
    [
      'a NUL character',
      fileWith({ messages: [{ id: 'message-0', role: 'user', content: [{ type: 'text', text: 'a\0b' }] }] }),
      'agents[0].messages[0].content[0].text: must not contain a NUL character',
    ],
    ['half a character', fileWith({ system: 'a\ud800' }), 'agents[0].system: must be well-formed Unicode'],
    ['parts that are no list', fileWith({}, { blocks: { human: 'Ann' } }), 'blocks: must be an array'],
  ])('%s', async (_, file, ...faults) => {
    const told = await refused(file)
    expect(told.map((fault, n) => fault.slice(0, faults[n]?.length))).toEqual(faults)
  })

  test('a place in a file of the older format is the place in that file', async () => {
    const older = { agent_type: 'memgpt_agent', name: 'Older', core_memory: [], messages: [], tools: [] }
    expect(await refused({ ...older, core_memory: [{ label: 'a', value: '' }, { label: 'b' }] })).toEqual([
      'core_memory[1].value: is required',
    ])
    expect(await refused({ ...older, tool_rules: [{ type: 'x', tool_name: 'y' }] })).toEqual([
      expect.stringMatching(/^tool_rules\[0\]\.type: must be one of /),
    ])
    expect(await refused({ ...older, in_context_message_indices: [0] })).toEqual([
      expect.stringMatching(/^in_context_message_indices\[0\]: names "message-0"/),
    ])
    expect(await refused({ ...older, messages: 'none' })).toEqual(['messages: must be an array'])
  })

  test('every fault is told at once, and a hundred of very many', async () => {
    const two = fileWith({ name: 5, block_ids: ['block-0'] }, { blocks: [{ id: 'block-0', value: 7 }] })
    expect(await refused(two)).toEqual([
      'agents[0].name: must be a string or null',
      'blocks[0].value: must be a string',
    ])
    const messages = Array.from({ length: 5000 }, (_, n) => ({ id: `message-${n}`, role: 'ghost' }))
    expect(await refused(fileWith({ messages }))).toHaveLength(100)
  })
})

describe('a form', () => {
  const good = JSON.stringify(fileWith({}))
  const post = async (form: FormData | string, headers?: Record<string, string>) => {
    const reply = await server.alice.post('/v1/agents/import', form, headers)
    expect(await rowsOf(server.database, server.organizations.alice)).toEqual(before)
    return [reply.status, reply.body.detail]
  }

  test('is refused with every field that is wrong', async () => {
    const fields = { nmae: 'x', override_existing_tools: 'maybe', model: 'gpt', name: 'a\tb' }
    expect((await refused(good, 422, fields)).sort()).toEqual([
      'model: must be a handle: provider/model-name',
      'name: must be text without control characters',
      'nmae: is not a known name here; did you mean "name"?',
      'override_existing_tools: must be true or false',
    ])
    const secrets = ['secrets: must be a JSON object whose values are strings']
    for (const text of ['{', '[]', '"a"', '{"A": 1}', '{"": "a"}', '{"A": "\\u0000"}']) {
      expect([text, await refused(good, 422, { secrets: text })]).toEqual([text, secrets])
    }
    expect(await refused(good, 422, { model: 'abacus/x' })).toEqual([
      expect.stringMatching(/^model: names the provider "abacus"/),
    ])
    expect(await refused(good, 422, { embedding: 'abacus/x' })).toEqual([
      expect.stringMatching(/^embedding: names the provider "abacus"/),
    ])
    expect(await refused(good, 422, { name: 'a\0b' })).toEqual(['name: must not contain a NUL character'])
  })

  test('needs a file, one, and one of text', async () => {
    const form = new FormData()
    form.append('name', 'x')
    expect(await post(form)).toEqual([422, 'file: is required.'])
    form.append('file', new Blob(['{}']))
    form.append('file', new Blob(['{}']))
    expect(await post(form)).toEqual([422, 'file: must be a string.'])
    const binary = new FormData()
    binary.append('file', new Blob([new Uint8Array([0xff, 0xfe, 0x00])]))
    expect(await post(binary)).toEqual([400, 'file: is not valid UTF-8.'])
  })

  test('is what it has to be, whole, and not too large', async () => {
    const asked = 'Send the body as multipart/form-data.'
    expect(await post(good, { 'content-type': 'application/json' })).toEqual([415, asked])
    expect(await post(good, { 'content-type': 'text/plain' })).toEqual([415, asked])
    const broken = 'The form could not be read: it is not valid multipart/form-data.'
    expect(await post('none', { 'content-type': 'multipart/form-data' })).toEqual([400, broken])
    expect(await post('--x\r\nContent-Disposi', { 'content-type': 'multipart/form-data; boundary=x' })).toEqual([
      400,
      broken,
    ])
    const large = new FormData()
    large.append('file', new Blob(['x'.repeat(1024 * 1024 + 1)]))
    expect(await post(large)).toEqual([413, 'The body is larger than 1048576 bytes.'])
    const parts = new FormData()
    for (let n = 0; n < 100; n++) parts.append(`field${n}`, '')
    expect(await post(parts)).toEqual([413, 'The form has more than 50 parts.'])
  })
})
