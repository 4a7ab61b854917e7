import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import type { Populated } from './populate.ts'
import type { Sample } from './resource-samples.ts'
import { KEY } from './stand-ins/openai.ts'

/** A small agent file. */
const AGENT_FILE = { agents: [{ id: 'agent-0', name: 'Filed', agent_type: 'letta_v1_agent' }] }

const fresh = () => `x${randomUUID().replaceAll('-', '')}`

/** The managers of each type of group, with one agent as the manager of all. */
const managers = (manager_agent_id: string) => [
  { manager_type: 'round_robin' },
  { manager_type: 'supervisor', manager_agent_id },
  { manager_type: 'dynamic', manager_agent_id },
  { manager_type: 'sleeptime', manager_agent_id },
  { manager_type: 'voice_sleeptime', manager_agent_id },
  { manager_type: 'swarm', manager_agent_id },
]

/** An agent's body that names other resources, as it is and with the old name for folders. */
function attached({ one }: Populated) {
  const ids = { block_ids: [one.block], tool_ids: [one.tool], identity_ids: [one.identity] }
  return [
    { name: 'Agent', ...ids, folder_ids: [one.source] },
    { name: 'Agent', ...ids, source_ids: [one.source] },
  ]
}

const identity = ({ one }: Populated) => ({
  identifier_key: fresh(),
  name: 'Identity',
  identity_type: 'user',
  agent_ids: [one.agent],
  block_ids: [one.block],
})

/** Messages to an agent, in a group, by the model that needs no provider. */
const sentMessages = ({ one }: Populated): Sample[] => [
  { body: { input: 'Hello', override_model: 'cairn/scripted' } },
  {
    body: {
      messages: [{ role: 'user', content: 'Hello', group_id: one.group }],
      override_model: 'cairn/scripted',
    },
  },
]

/** A chat of a client of OpenAI, by the model that needs no provider. */
const chat = ({ one }: Populated): Sample[] => [
  { body: { model: one.agent, messages: [{ role: 'user', content: 'Hello' }], override_model: 'cairn/scripted' } },
]

/** The connection to the stand-in of a provider. */
const reached = () => ({ provider_type: 'openai', api_key: KEY, base_url: inject('provider') })

/** A template's snapshot. */
const snapshot = ({ one, names }: Populated) => ({
  type: 'classic',
  agents: [
    {
      entityId: 'agent',
      name: 'Agent',
      agentType: 'svc_v1_agent',
      model: 'openai/gpt-4o-mini',
      systemPrompt: 'system',
      tags: [names.tag],
      toolIds: [one.tool],
      sourceIds: [one.source],
      identityIds: [one.identity],
      toolRules: [],
      memoryVariables: { version: '1', data: [] },
      toolVariables: { version: '1', data: [] },
      properties: {},
    },
  ],
  blocks: [{ label: 'human', value: 'This is {{who}}.' }],
})

/**
 * For each operation with a body, requests that succeed in a populated organization and name a resource of it wherever
 * the body can name one. An operation with a body that isn't here makes the tests fail: add it, with bodies that do.
 */
export const SAMPLES: Record<string, (organization: Populated) => Sample[]> = {
  create_agent: (held) => attached(held).map((body) => ({ body })),
  modify_agent: (held) => [...attached(held).map((body) => ({ body })), { body: { message_ids: [held.one.message] } }],
  search_agents: ({ names }) => [
    { body: { search: [{ field: 'tags', operator: 'contains', value: [names.tag] }] } },
    { body: { search: [{ field: 'templateName', operator: 'eq', value: names.template }], limit: 1 } },
  ],
  // An agent has one archive at most.
  attach_archive_to_agent: (held) => [{ path: { agent_id: held.spareAgent } }],
  modify_feedback_for_step: () => [{ body: { feedback: 'positive' } }],
  retrieve_stream_for_run: () => [{ body: {} }],
  cancel_message: ({ one, spareAgent }) => [{ path: { agent_id: spareAgent }, body: { run_ids: [one.run] } }],
  send_message: sentMessages,
  stream_message: sentMessages,
  send_message_async: sentMessages,
  send_group_message: sentMessages,
  stream_group_message: sentMessages,
  send_group_message_async: sentMessages,
  reset_group_messages: ({ runner }) => [{ path: { group_id: runner.group } }],
  cancel_group_message: ({ runner }) => [{ path: { group_id: runner.group }, body: { run_ids: [runner.run] } }],
  create_chat_completion: chat,
  create_openai_chat_completion: chat,
  preview_raw_payload: sentMessages,
  reset_messages: () => [{ body: { add_default_initial_messages: false } }],
  summarize_messages: ({ spareAgent }) => [
    { path: { agent_id: spareAgent }, body: { compaction_settings: { mode: 'all', model: 'cairn/scripted' } } },
  ],
  generate_text: () => [{ body: { prompt: 'Hello', override_model: 'cairn/scripted' } }],
  import_agents: () => [
    { body: { file: JSON.stringify({ agents: [{ id: 'agent-0', name: 'Agent' }] }) } },
    { body: { file: JSON.stringify({ agents: [{ id: 'agent-0', name: 'Agent' }] }), project_id: 'project' } },
  ],
  create_archive: () => [{ body: { name: 'Archive' } }],
  modify_archive: () => [{ body: { name: 'Archive' } }],
  create_passage: ({ names }) => [{ body: { text: 'Passage', tags: [names.tag] } }],
  create_passages: () => [{ body: { passages: [{ text: 'One' }, { text: 'Two' }] } }, { body: { passages: [] } }],
  modify_passage: () => [{ body: { tags: ['tag'], metadata: { page: 3 } } }, { body: {} }],
  create_passage_of_agent: () => [{ body: { text: 'Memory' } }],
  // `delete_passage` takes the other one.
  delete_passage_of_agent: ({ sparePassage }) => [{ path: { memory_id: sparePassage } }],
  create_block: () => [{ body: { label: 'label', value: 'value' } }],
  restore_block: () => [{ body: { version: 1 } }],
  modify_block: () => [{ body: { value: 'value' } }, { body: {} }],
  modify_block_of_agent: () => [{ body: { value: 'value' } }, { body: {} }],
  create_folder: () => [{ body: { name: fresh() } }],
  modify_folder: () => [{ body: { description: 'Folder' } }],
  create_source: () => [{ body: { name: fresh() } }],
  modify_source: () => [{ body: { description: 'Folder' } }],
  // `delete_folder` takes the other one.
  delete_source: ({ spareFolder }) => [{ path: { source_id: spareFolder } }],
  upload_file_to_folder: () => [{ body: { file: 'text' } }, { body: { file: 'text' }, query: { name: 'other.md' } }],
  // `delete_file_of_folder` takes the other one.
  delete_file_of_source: ({ spareFile }) => [{ path: { file_id: spareFile } }],
  upload_file_to_source: () => [{ body: { file: 'text' } }],
  create_group: ({ one, spareAgent }) =>
    managers(one.agent).map((manager_config) => ({
      body: { agent_ids: [spareAgent], description: 'Group', shared_block_ids: [one.block], manager_config },
    })),
  modify_group: ({ one, groups }) => [
    { body: { agent_ids: [one.agent], shared_block_ids: [one.block] } },
    ...managers(one.agent)
      .filter(({ manager_type }) => manager_type in groups)
      .map((manager_config) => ({
        path: { group_id: groups[manager_config.manager_type as keyof typeof groups] },
        body: { manager_config },
      })),
  ],
  create_identity: (held) => [{ body: identity(held) }],
  upsert_identity: (held) => [
    { body: identity(held) },
    { body: { ...identity(held), identifier_key: held.names.key } },
  ],
  modify_identity: (held) => [{ body: { agent_ids: [held.one.agent], block_ids: [held.one.block] } }],
  replace_identity_properties: () => [{ body: [{ key: 'a', type: 'string', value: 'b' }] }],
  search_passages: ({ one, names }) => [
    { body: { query: names.template, agent_id: one.agent } },
    { body: { query: names.template, archive_id: one.archive, search_mode: 'vector', include: ['passage.embedding'] } },
    { body: { query: names.template, folder_id: one.source, search_mode: 'fts' } },
    { body: {} },
  ],
  create_provider: () => [{ body: { ...reached(), name: fresh() } }],
  modify_provider: () => [{ body: { models: [{ name: 'own', model_type: 'embedding', embedding_dim: 8 }] } }],
  check_provider: () => [{ body: reached() }],
  create_tool: () => [{ body: { source_code: '# none', json_schema: { name: fresh() } } }],
  upsert_tool: ({ names }) =>
    [fresh(), names.tool].map((name) => ({ body: { source_code: '# none', json_schema: { name } } })),
  search_all_messages: ({ one }) => [{ body: { query: 'Hello' } }, { body: { query: 'Hello', agent_id: one.agent } }],
  search_messages: ({ one }) => [{ body: { query: 'Hello', agent_id: one.agent, search_mode: 'fts' } }, { body: {} }],
  search_tools: ({ names }) => [{ body: { query: names.tool } }, { body: {} }],
  generate_json_schema: () => [{ body: { code: 'def f():\n    """Does nothing."""' } }],
  run_tool_from_source: () => [{ body: { source_code: 'def f():\n    """Does nothing."""', args: {} } }],
  run_tool: () => [{ body: { args: {}, env_vars: { A: 'a' } } }, { body: null }],
  run_tool_for_agent: () => [{ body: { args: {} } }],
  modify_tool: () => [{ body: { description: 'Tool' } }],
  modify_approval_for_tool: () => [{ body: { requires_approval: true } }],
  // A project with templates can't be deleted.
  delete_project: ({ spareProject }) => [{ path: { project_id: spareProject } }],
  create_project: () => [{ body: { name: fresh() } }],
  create_template: ({ one }) => [{ body: { type: 'agent', agent_id: one.agent, name: fresh() } }],
  create_template_in_project: ({ one }) => [{ body: { type: 'agent', agent_id: one.agent, name: fresh() } }],
  modify_template: () => [{ body: { agent_file_json: AGENT_FILE } }],
  modify_template_in_project: () => [{ body: { agent_file_json: AGENT_FILE } }],
  save_template: () => [{ body: { message: 'Saved' } }],
  save_template_in_project: () => [{ body: { message: 'Saved', migrate_agents: true } }],
  rollback_template: () => [{ body: { version: '1' } }],
  rollback_template_in_project: () => [{ body: { version: 'latest' } }],
  create_agents_from_template: ({ one }) => [{ body: { identity_ids: [one.identity] } }],
  create_agents_from_template_in_project: ({ one }) => [{ body: { identity_ids: [one.identity] } }],
  rename_template: ({ names }) => [{ body: { new_name: names.template } }],
  describe_template: () => [{ body: { description: 'Template' } }],
  replace_template_snapshot: (held) => [{ body: snapshot(held) }],
  fork_template: () => [{ body: { name: fresh() } }],
  migrate_deployment: () => [{ body: { version: '1', memory_variables: { a: 'b' } } }],
  create_access_token: ({ one }) => [
    {
      body: {
        policy: [{ type: 'agent', id: one.agent, access: ['read_agent'] }],
        hostname: 'https://app.example.com',
      },
    },
  ],
  create_api_key: ({ one }) => [{ body: { name: 'Key', scopes: ['read'], user_id: one.user } }],
  create_organization: () => [{ body: { name: 'Organization' } }],
  modify_organization: () => [{ body: { name: 'Organization' } }],
  create_user: ({ one }) => [{ body: { name: 'User', organization_id: one.org } }],
  modify_user: ({ one }) => [{ body: { id: one.user, name: 'User', organization_id: one.org } }],
}
