import { newId } from '../../src/lib/ids.ts'
import { DEFAULT_EMBEDDING } from '../../src/resources/models/handles.ts'
import { prose, type Random } from './prose.ts'
import { type Owner, versioned } from './rows.ts'

const LLM_CONFIG = {
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
}

const MODEL_SETTINGS = {
  provider_type: 'openai',
  max_output_tokens: 16_384,
  parallel_tool_calls: false,
  reasoning: { reasoning_effort: 'low' },
  temperature: 0.7,
}

const TOOL_RULES = [
  { type: 'continue_loop', tool_name: 'look_up_1' },
  { type: 'exit_loop', tool_name: 'send_message' },
  { type: 'max_count_per_step', tool_name: 'look_up_2', max_count_limit: 3 },
]

/** The nth agent: a system prompt of 1,500 characters, full model settings, and three tags. */
export function agentRow(owner: Owner, random: Random, n: number) {
  const row = versioned(owner, 'agent')
  const toolCall = { name: 'send_invoice', arguments: '{"to":"customer"}', tool_call_id: `call_${n}` }
  return {
    ...row,
    name: `Agent ${n}`,
    agent_type: 'svc_v1_agent',
    description: prose(random, 100),
    metadata: { team: `team-${n % 20}`, tier: n % 3 },
    system: prose(random, 1500),
    tags: [0, 1, 2].map((k) => `tag-${(n * 7 + k * 31) % 100}`),
    model: LLM_CONFIG.handle,
    llm_config: LLM_CONFIG,
    model_settings: MODEL_SETTINGS,
    embedding: DEFAULT_EMBEDDING.handle,
    embedding_config: DEFAULT_EMBEDDING,
    tool_rules: TOOL_RULES,
    message_ids: Array.from({ length: 10 }, () => newId('message')),
    // One agent in a hundred waits for an approval.
    pending_approval: n % 100 === 0 ? { id: newId('message'), date: row.created_at, tool_call: toolCall } : null,
    message_buffer_autoclear: false,
    timezone: 'UTC',
    max_files_open: 5,
    per_file_view_window_char_limit: 15_000,
  }
}
