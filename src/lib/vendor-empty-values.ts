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
