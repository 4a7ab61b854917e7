import { sql } from 'kysely'
import { expect } from 'vitest'
import { idAt, newId } from '../src/lib/ids.ts'
import type { Json } from './agent-export.ts'
import type { Client, TestServer } from './server.ts'

/** The value of a secret, which no exported file may contain. */
export const SECRET = 'the value of a secret'

/** Sends a request and expects success. */
async function sent(client: Client, method: string, url: string, body?: unknown): Promise<Json> {
  const reply = await client.call(method, url, body)
  expect([method, url, reply.status, reply.status === 200 ? undefined : reply.body]).toEqual([
    method,
    url,
    200,
    undefined,
  ])
  return reply.body
}

/** The conversation of a rich agent, after its first messages. */
export const SAID = [
  { role: 'user', content: [{ type: 'text', text: 'What is in the box?' }], name: 'Ann', otid: 'o-1' },
  {
    role: 'assistant',
    content: [{ type: 'reasoning', reasoning: 'Look first.', is_native: true, signature: null }],
    model: 'gpt-4o-mini',
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"into": "box"}' } }],
  },
  {
    role: 'tool',
    content: [{ type: 'text', text: 'A cat.' }],
    name: 'look',
    tool_call_id: 'call_1',
    tool_returns: [{ tool_call_id: 'call_1', status: 'success', stdout: ['…'], stderr: null, func_response: 'A cat.' }],
  },
  { role: 'approval', content: [], approve: false, denial_reason: 'Leave it alone.', approvals: [{ approve: false }] },
  { role: 'assistant', content: [{ type: 'text', text: 'A cat, “of course” 🐈.' }], model: 'gpt-4o-mini' },
]

/** Inserts a conversation and files by SQL, as no request can yet. Returns the ids of the messages. */
async function addBySql(server: TestServer, agent: Json, group: string, folder: string): Promise<string[]> {
  const db = server.database.kysely
  const ids: string[] = []
  for (const [n, message] of SAID.entries()) {
    // Several messages have one instant: their ids decide their order.
    const said = new Date(Date.UTC(2025, 0, 1) + 1000 * Math.floor(n / 2))
    const id = idAt('message', said, n)
    const row = {
      ...message,
      id,
      agent_id: agent.id,
      organization_id: server.organizations.alice,
      created_at: said.toISOString(),
      ...(n === 0 && { group_id: group, sender_id: agent.id }),
      ...(n === 3 && { approval_request_id: ids[1] }),
    }
    await sql`insert into messages select * from jsonb_populate_record(null::messages, ${JSON.stringify(row)}::jsonb)`.execute(
      db,
    )
    ids.push(id)
  }
  for (const [n, name] of ['plan.txt', 'map.md'].entries()) {
    const file = newId('file')
    await sql`insert into files (organization_id, id, source_id, file_name, original_file_name, file_type, file_size,
        file_path, content, processing_status, total_chunks, created_at, updated_at)
      values (${server.organizations.alice}, ${file}, ${folder}, ${name}, ${`the ${name}`}, 'text/plain', ${5_000_000_000 + n},
        '/tmp', ${`The text of ${name}.`}, 'completed', 3, now(), now())`.execute(db)
    await sql`insert into files_agents (organization_id, id, agent_id, source_id, file_id, block_id, is_open,
        visible_content, start_line, end_line, last_accessed_at, created_at)
      values (${server.organizations.alice}, ${newId('file_agent')}, ${agent.id}, ${folder}, ${file}, ${newId('block')},
        ${n === 0}, ${n === 0 ? 'The text' : null}, ${n === 0 ? 1 : null}, ${n === 0 ? 9 : null},
        ${n === 0 ? '2025-02-03T04:05:06.789Z' : null}, now())`.execute(db)
  }
  return ids
}

/** An agent of Alice's that fills every field of an agent file: it manages a group whose members share a block with it. */
export async function richAgent(server: TestServer, name: string): Promise<Json> {
  const { alice } = server
  const post = (url: string, body: object) => sent(alice, 'POST', url, body)
  const tool = await post('/v1/tools/', {
    source_code: `def ${name}_look(into: str): pass`,
    source_type: 'python',
    json_schema: {
      name: `${name}_look`,
      description: 'Looks.',
      parameters: { type: 'object', properties: {}, default: null },
    },
    args_json_schema: { type: 'object' },
    tags: ['eyes'],
    return_char_limit: 777,
    pip_requirements: [{ name: 'numpy', version: '1.2.3' }, { name: 'attrs' }],
    npm_requirements: [{ name: 'left-pad' }],
    metadata_: { owner: null },
    default_requires_approval: true,
    enable_parallel_execution: true,
  })
  const shared = await post('/v1/blocks/', {
    label: 'shared',
    value: 'Told to all.',
    tags: ['b', 'a'],
    metadata: { a: [null, 1] },
  })
  const endless = await post('/v1/blocks/', { label: 'endless', value: 'x' })
  await sent(alice, 'PATCH', `/v1/blocks/${endless.id}`, { limit: null, value: 'y'.repeat(100_001) })
  const folder = await post('/v1/folders/', {
    name: `${name} papers`,
    description: 'Papers.',
    instructions: 'Read them.',
    metadata: { shelf: 3 },
    embedding_config: {
      embedding_model: 'ada',
      embedding_endpoint_type: 'azure',
      embedding_dim: 1536,
      cloud_endpoint: 'https://example.com',
      cloud_version: '2024-01-01',
      cloud_deployment: 'ada-1',
    },
  })
  const agent = await post('/v1/agents/', {
    name,
    agent_type: 'mem_agent',
    system: 'You look into boxes.',
    description: 'Looks.',
    metadata: { team: 'cats', none: null },
    tags: ['z', 'a'],
    block_ids: [shared.id, endless.id],
    memory_blocks: [
      {
        label: 'human',
        value: 'Ann\n🐈',
        limit: 10,
        description: 'Who.',
        read_only: true,
        hidden: true,
        preserve_on_migration: true,
      },
      { label: 'persona', value: '', is_template: true, template_name: 'looker' },
    ],
    tool_ids: [tool.id],
    tools: ['web_search', 'run_code', 'memory'],
    include_multi_agent_tools: true,
    folder_ids: [folder.id],
    llm_config: {
      model: 'm',
      model_endpoint_type: 'anthropic',
      context_window: 9000,
      handle: 'anthropic/m',
      temperature: 0.25,
    },
    model_settings: { provider_type: 'anthropic', thinking: { type: 'disabled' }, max_output_tokens: 100 },
    embedding: 'cairn/lexical',
    compaction_settings: { mode: 'sliding_window', sliding_window_percentage: 0.5, prompt: 'Shorten.' },
    response_format: { type: 'json_schema', json_schema: { type: 'object', default: null } },
    tool_rules: [
      { type: 'run_first', tool_name: `${name}_look`, args: { into: null } },
      {
        type: 'conditional',
        tool_name: `${name}_look`,
        child_output_mapping: { A: 'web_search' },
        default_child: 'run_code',
      },
      {
        type: 'constrain_child_tools',
        tool_name: 'web_search',
        children: ['run_code'],
        child_arg_nodes: [{ name: 'run_code', args: { code: '1' } }],
      },
      { type: 'parent_last_tool', tool_name: 'web_search', children: ['run_code'] },
      { type: 'max_count_per_step', tool_name: 'run_code', max_count_limit: 2 },
      { type: 'required_before_exit', tool_name: 'run_code' },
    ],
    secrets: { TOKEN: SECRET, OTHER: `${SECRET} too` },
    timezone: 'Europe/Paris',
    max_files_open: 2,
    per_file_view_window_char_limit: 1234,
    hidden: false,
    enable_sleeptime: true,
    initial_message_sequence: [{ role: 'user', content: 'Hello' }],
  })
  const member = await post('/v1/agents/', {
    name: `${name} helper`,
    agent_type: 'react_agent',
    block_ids: [shared.id],
    project_id: 'away',
  })
  const group = await post('/v1/groups/', {
    agent_ids: [member.id, agent.id],
    description: 'All of them.',
    shared_block_ids: [shared.id],
    hidden: true,
    manager_config: { manager_type: 'dynamic', manager_agent_id: agent.id, max_turns: 7, termination_token: 'STOP' },
  })
  const said = await addBySql(server, agent, group.id, folder.id)
  // In context: the first message and the conversation, except for one message.
  const message_ids = [agent.message_ids[0], ...said.filter((_, n) => n !== 2)]
  await sent(alice, 'PATCH', `/v1/agents/${agent.id}`, { message_ids })
  return { ...agent, member, group, said }
}
