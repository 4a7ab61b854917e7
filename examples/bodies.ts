import type { AgentEntry, BlockEntry, ToolEntry } from './agent-file.ts'

/** Bodies of create requests, from the entries of an agent file. */

type Json = Record<string, unknown>

/** Names of the Letta agent file format, and the names in this API. */
const NAMES: Record<string, string> = {
  letta_v1_agent: 'svc_v1_agent',
  memgpt_agent: 'mem_agent',
  memgpt_v2_agent: 'mem_v2_agent',
  azure_endpoint: 'cloud_endpoint',
  azure_version: 'cloud_version',
  azure_deployment: 'cloud_deployment',
}

const translate = (word: string) => NAMES[word] ?? word

// The API refuses unknown keys, and agent files have many: a create request gets only these.
// Ids of projects, templates and identities are left out: they refer to rows of the exporting server.

const TOOL = [
  'description',
  'source_type',
  'source_code',
  'json_schema',
  'args_json_schema',
  'tags',
  'return_char_limit',
  'pip_requirements',
  'npm_requirements',
  'metadata_',
  'default_requires_approval',
  'enable_parallel_execution',
]

const BLOCK = [
  'label',
  'value',
  'limit',
  'description',
  'metadata',
  'read_only',
  'hidden',
  'tags',
  'is_template',
  'template_name',
  'preserve_on_migration',
]

const AGENT = [
  'name',
  'system',
  'description',
  'metadata',
  'model_settings',
  'compaction_settings',
  'response_format',
  'timezone',
  'hidden',
  'max_files_open',
  'per_file_view_window_char_limit',
  'message_buffer_autoclear',
]

/** The fields that name an agent's models if it has no configuration of them. */
const MODEL = [
  'model',
  'context_window_limit',
  'max_tokens',
  'max_reasoning_tokens',
  'enable_reasoner',
  'reasoning',
  'parallel_tool_calls',
]
const EMBEDDING = ['embedding', 'embedding_chunk_size']

const LLM_CONFIG = [
  'model',
  'model_endpoint_type',
  'model_endpoint',
  'model_wrapper',
  'context_window',
  'display_name',
  'handle',
  'provider_name',
  'provider_category',
  'put_inner_thoughts_in_kwargs',
  'temperature',
  'max_tokens',
  'enable_reasoner',
  'reasoning_effort',
  'max_reasoning_tokens',
  'effort',
  'frequency_penalty',
  'compatibility_type',
  'verbosity',
  'tier',
  'parallel_tool_calls',
  'response_format',
  'strict',
  'return_logprobs',
  'top_logprobs',
  'return_token_ids',
  'tool_call_parser',
]

const EMBEDDING_CONFIG = [
  'embedding_endpoint_type',
  'embedding_endpoint',
  'embedding_model',
  'embedding_dim',
  'embedding_chunk_size',
  'batch_size',
  'handle',
  'cloud_endpoint',
  'cloud_version',
  'cloud_deployment',
]

const TOOL_RULE = [
  'type',
  'tool_name',
  'prompt_template',
  'args',
  'children',
  'child_arg_nodes',
  'child_output_mapping',
  'default_child',
  'require_output_mapping',
  'max_count_limit',
]

/** The user's own values, in which nulls are significant. */
const VERBATIM = ['json_schema', 'args_json_schema', 'metadata', 'metadata_', 'args']

/** Removes nulls at any depth: in agent files a null means "not set", and the API expects such keys to be absent. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const set = Object.entries(value).filter(([, one]) => one !== null)
  return Object.fromEntries(set.map(([key, one]) => [key, VERBATIM.includes(key) ? one : withoutNulls(one)]))
}

/** The given fields that are set, under their names in this API. */
function pick(from: Json, fields: readonly string[]): Json {
  const renamed = Object.entries(from).map(([key, value]) => [translate(key), value] as const)
  return withoutNulls(Object.fromEntries(renamed.filter(([key]) => fields.includes(key)))) as Json
}

/** Whether a tool has to be created; all others are built into the server. */
export const isCustom = (tool: ToolEntry) => tool.tool_type === 'custom'

/** The body that creates a tool. The schema contains the name. */
export const toolBody = (tool: ToolEntry) => pick(tool, TOOL)

/** The body that creates a block. */
export const blockBody = (block: BlockEntry) => pick(block, BLOCK)

/** The body that creates an agent with the given blocks and tools, and with the given tags and secrets besides its own. */
export function agentBody(
  agent: AgentEntry,
  extra: { block_ids: string[]; tool_ids: string[]; tags: string[]; secrets: Record<string, string> },
) {
  const { llm_config, embedding_config, agent_type } = agent
  return {
    ...pick(agent, AGENT),
    ...(typeof agent_type === 'string' && { agent_type: translate(agent_type) }),
    // A configuration is complete: exported files repeat some of its fields beside it, at default values.
    ...(llm_config ? { llm_config: pick(llm_config as Json, LLM_CONFIG) } : pick(agent, MODEL)),
    ...(embedding_config
      ? { embedding_config: pick(embedding_config as Json, EMBEDDING_CONFIG) }
      : pick(agent, EMBEDDING)),
    tool_rules: agent.tool_rules.map((rule) => pick(rule, TOOL_RULE)),
    block_ids: extra.block_ids,
    tool_ids: extra.tool_ids,
    tags: [...new Set([...extra.tags, ...agent.tags])],
    secrets: { ...extra.secrets, ...agent.secrets },
    // The file lists every tool and rule of the agent, so the server must not add its base tools.
    include_base_tools: false,
    include_base_tool_rules: false,
  }
}
