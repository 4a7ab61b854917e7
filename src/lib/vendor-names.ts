/** Values of enumerations: neutral name → name in the Letta API. Names are unique, so one table serves all enumerations. */
export const VALUES: Readonly<Record<string, string>> = {
  mem_agent: 'memgpt_agent',
  mem_v2_agent: 'memgpt_v2_agent',
  svc_v1_agent: 'letta_v1_agent',
  svc_core: 'letta_core',
  svc_memory_core: 'letta_memory_core',
  svc_multi_agent_core: 'letta_multi_agent_core',
  svc_sleeptime_core: 'letta_sleeptime_core',
  svc_voice_sleeptime_core: 'letta_voice_sleeptime_core',
  svc_builtin: 'letta_builtin',
  svc_files_core: 'letta_files_core',
  cairn: 'letta',
}

/** Fields of objects and parameters of queries: neutral name → name in the Letta API. */
export const FIELDS: Readonly<Record<string, string>> = {
  cloud_deployment: 'azure_deployment',
  cloud_endpoint: 'azure_endpoint',
  cloud_version: 'azure_version',
  return_only_svc_tools: 'return_only_letta_tools',
  exclude_svc_tools: 'exclude_letta_tools',
}

/** What the Letta API sends for a field without a value where that isn't null: by field, or by shape and field. */
const EMPTY_VALUES: Readonly<Record<string, unknown>> = {
  'Block.metadata': {},
  'FileBlock.metadata': {},
  'Identity.properties': [],
  'LlmConfig.max_reasoning_tokens': 0,
  'Step.messages': [],
  enable_reasoner: false,
  file_blocks: [],
  identities: [],
  identity_ids: [],
  is_template: false,
  message_ids: [],
  metadata_: {},
  parallel_tool_calls: true,
  preserve_on_migration: false,
  put_inner_thoughts_in_kwargs: false,
  read_only: false,
  return_logprobs: false,
  return_token_ids: false,
  secrets: [],
  shared_block_ids: [],
  strict: false,
  tags: [],
  temperature: 1,
  tool_exec_environment_variables: [],
  tool_rules: [],
}

/** Shapes of the hosted service alone, which leaves out fields without a value. */
const HOSTED_SHAPES: ReadonlySet<string> = new Set(['ClientSideAccessToken', 'Project', 'Template', 'TemplateSnapshot'])

/** The value that the Letta API sends for a field of a shape without one; undefined where the API leaves out the field. */
export const emptyValue = (shape: string | undefined, field: string): unknown =>
  shape === undefined || HOSTED_SHAPES.has(shape)
    ? undefined
    : (EMPTY_VALUES[`${shape}.${field}`] ?? EMPTY_VALUES[field] ?? null)

const inverse = (table: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(table).map(([neutral, vendor]) => [vendor, neutral]))

/** Values of enumerations: name in the Letta API → neutral name. */
export const NEUTRAL_VALUES = inverse(VALUES)
/** Fields and parameters: name in the Letta API → neutral name. */
export const NEUTRAL_FIELDS = inverse(FIELDS)
