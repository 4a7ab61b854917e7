import { instantOf, newId, type Prefix } from '../src/lib/ids.ts'
import { LEXICAL } from '../src/resources/models/handles.ts'
import { prose } from './text.ts'

/** The rows of the benchmark's data: what a row holds, and about how much of it. */

export interface Owner {
  organizationId: string
  userId: string
}

type Random = () => number

/** The columns of every owned row. `created_at` is the instant in the id, as the server has it. */
function owned(owner: Owner, prefix: Prefix) {
  const id = newId(prefix)
  const now = instantOf(id)!.toISOString()
  return {
    organization_id: owner.organizationId,
    id,
    created_at: now,
    updated_at: now,
    created_by_id: owner.userId,
    last_updated_by_id: owner.userId,
  }
}

const versioned = (owner: Owner, prefix: Prefix) => ({ ...owned(owner, prefix), version: 1 })

export const archiveRow = (owner: Owner, random: Random, n: number) => ({
  ...versioned(owner, 'archive'),
  name: `Archive ${n}`,
  description: prose(random, 80),
  embedding_config: LEXICAL,
  metadata: { team: `team-${n % 20}` },
  vector_db_provider: 'native',
})

export const folderRow = (owner: Owner, random: Random, n: number) => ({
  ...versioned(owner, 'source'),
  name: `Folder ${n}`,
  description: prose(random, 80),
  instructions: prose(random, 160),
  embedding_config: LEXICAL,
  metadata: { team: `team-${n % 20}` },
  vector_db_provider: 'native',
})

export const identityRow = (owner: Owner, n: number) => ({
  ...versioned(owner, 'identity'),
  identifier_key: `customer-${n}`,
  name: `Customer ${n}`,
  identity_type: 'user',
  properties: [{ key: 'plan', type: 'string', value: n % 3 === 0 ? 'team' : 'single' }],
})

export function toolRow(owner: Owner, random: Random, n: number) {
  const name = `look_up_${n}`
  const parameters = Object.fromEntries(
    ['query', 'since', 'limit', 'tag'].map((field) => [field, { type: 'string', description: prose(random, 90) }]),
  )
  return {
    ...versioned(owner, 'tool'),
    name,
    tool_type: 'custom',
    description: prose(random, 120),
    source_type: 'python',
    source_code: `def ${name}(query: str, since: str, limit: str, tag: str) -> str:\n    """${prose(random, 600)}"""\n    return query\n`,
    json_schema: {
      name,
      description: prose(random, 120),
      parameters: { type: 'object', properties: parameters, required: ['query'] },
    },
    tags: ['bench'],
    return_char_limit: 50_000,
    enable_parallel_execution: false,
  }
}

export function agentRow(owner: Owner, random: Random, n: number) {
  const row = versioned(owner, 'agent')
  const call = { name: 'send_invoice', arguments: '{"to":"customer"}', tool_call_id: `call_${n}` }
  return {
    ...row,
    name: `Agent ${n}`,
    agent_type: 'svc_v1_agent',
    description: prose(random, 100),
    metadata: { team: `team-${n % 20}`, tier: n % 3 },
    system: prose(random, 1500),
    tags: [0, 1, 2].map((k) => `tag-${(n * 7 + k * 31) % 100}`),
    model: 'openai/gpt-5-mini',
    llm_config: {
      context_window: 128_000,
      model: 'gpt-5-mini',
      model_endpoint_type: 'openai',
      model_endpoint: 'https://api.openai.com/v1',
      handle: 'openai/gpt-5-mini',
      provider_name: 'openai',
      provider_category: 'base',
      max_tokens: 16_384,
      temperature: 0.7,
      parallel_tool_calls: false,
      put_inner_thoughts_in_kwargs: false,
      enable_reasoner: true,
      reasoning_effort: 'low',
      verbosity: 'medium',
    },
    model_settings: {
      provider_type: 'openai',
      max_output_tokens: 16_384,
      parallel_tool_calls: false,
      reasoning: { reasoning_effort: 'low' },
      temperature: 0.7,
    },
    embedding: LEXICAL.handle,
    embedding_config: LEXICAL,
    tool_rules: [
      { type: 'continue_loop', tool_name: 'look_up_1' },
      { type: 'exit_loop', tool_name: 'send_message' },
      { type: 'max_count_per_step', tool_name: 'look_up_2', max_count_limit: 3 },
    ],
    message_ids: Array.from({ length: 10 }, () => newId('message')),
    // One agent in a hundred waits for a person.
    pending_approval: n % 100 === 0 ? { id: newId('message'), date: row.created_at, tool_call: call } : null,
    message_buffer_autoclear: false,
    timezone: 'UTC',
    max_files_open: 5,
    per_file_view_window_char_limit: 15_000,
  }
}

export const blockRow = (owner: Owner, random: Random, label: string) => ({
  ...versioned(owner, 'block'),
  value: prose(random, 300),
  label,
  limit: 100_000,
  description: prose(random, 60),
  metadata: {},
  read_only: false,
  tags: [],
})

export const groupRow = (owner: Owner, random: Random, managerId: string | null) => ({
  ...versioned(owner, 'group'),
  manager_type: managerId ? 'supervisor' : 'round_robin',
  description: prose(random, 100),
  manager_agent_id: managerId,
  max_turns: 10,
})

export const secretRow = (owner: Owner, agentId: string, key: string, value_enc: string) => ({
  ...owned(owner, 'agent-env'),
  agent_id: agentId,
  key,
  value_enc,
})
