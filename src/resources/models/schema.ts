import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { providerTypes } from '../../lib/provider-types.ts'
import { FilterList, Int, JsonMap, OneOf, Query, Shape, Stored, Strict } from '../../lib/wire.ts'

const { Optional } = Type

export const EMBEDDING_ENDPOINT_TYPES = [
  'openai',
  'anthropic',
  'bedrock',
  'google_ai',
  'google_vertex',
  'azure',
  'groq',
  'ollama',
  'webui',
  'webui-legacy',
  'lmstudio',
  'lmstudio-legacy',
  'llamacpp',
  'koboldcpp',
  'vllm',
  'hugging-face',
  'mistral',
  'together',
  'pinecone',
] as const

export const MODEL_ENDPOINT_TYPES = [
  'openai',
  'anthropic',
  'google_ai',
  'google_vertex',
  'azure',
  'groq',
  'ollama',
  'webui',
  'webui-legacy',
  'lmstudio',
  'lmstudio-legacy',
  'lmstudio-chatcompletions',
  'llamacpp',
  'koboldcpp',
  'vllm',
  'hugging-face',
  'minimax',
  'moonshot',
  'moonshot_coding',
  'mistral',
  'together',
  'bedrock',
  'deepseek',
  'xai',
  'zai',
  'zai_coding',
  'baseten',
  'fireworks',
  'openrouter',
  'chatgpt_oauth',
] as const

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'] as const
const VERBOSITIES = ['low', 'medium', 'high'] as const
const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'] as const

/** The vector stores an archive's passages can lie in. */
export const VectorDbProvider = OneOf(['native', 'tpuf', 'pinecone'])
export type VectorDbProvider = Static<typeof VectorDbProvider>

/** A model handle, `provider/model-name`. */
export const Handle = Type.String({
  pattern: '^[^/\\s]+/\\S+$',
  maxLength: 200,
  title: 'a handle: provider/model-name',
})

export const EmbeddingConfig = Stored(
  {
    embedding_dim: Int({ minimum: 1, description: 'Dimension of the embedding.' }),
    embedding_endpoint_type: OneOf(EMBEDDING_ENDPOINT_TYPES),
    embedding_model: Type.String(),
    cloud_deployment: Optional(Type.String({ description: 'Deployment name of a cloud-hosted model.' })),
    cloud_endpoint: Optional(Type.String()),
    cloud_version: Optional(Type.String()),
    batch_size: Optional(Int({ minimum: 1, description: 'How many texts are embedded at once, at most.' })),
    embedding_chunk_size: Optional(Int({ minimum: 1 })),
    embedding_endpoint: Optional(Type.String({ description: 'Absent for a local model.' })),
    handle: Optional(Type.String({ description: 'provider/model-name' })),
  },
  { $id: 'EmbeddingConfig' },
)
export type EmbeddingConfig = Static<typeof EmbeddingConfig>

export const ResponseFormat = Type.Unsafe<
  { type?: 'text' } | { type?: 'json_schema'; json_schema: Record<string, unknown> } | { type?: 'json_object' }
>({
  $id: 'ResponseFormat',
  anyOf: [
    Strict({ type: Optional(Type.Literal('text')) }),
    Strict({ json_schema: JsonMap(), type: Optional(Type.Literal('json_schema')) }),
    Strict({ type: Optional(Type.Literal('json_object')) }),
  ],
})

const responseFormat = Optional(Type.Unsafe<Static<typeof ResponseFormat>>({ $ref: 'ResponseFormat#' }))
const temperature = Optional(Type.Number())

/** The fields of one family of model settings, for each provider of it. */
function settings(providers: readonly string[], fields: TProperties) {
  return providers.map((provider) =>
    Strict({
      provider_type: Optional(Type.Literal(provider)),
      max_output_tokens: Optional(Int()),
      parallel_tool_calls: Optional(Type.Boolean()),
      ...fields,
    }),
  )
}

const reasoning = (efforts: readonly string[]) => Optional(Strict({ reasoning_effort: Optional(OneOf(efforts)) }))
const strict = Optional(Type.Boolean())

/** The variants of model settings. */
const variants = [
  ...settings(['openai'], {
    reasoning: reasoning(REASONING_EFFORTS),
    response_format: responseFormat,
    strict,
    temperature,
  }),
  ...settings(['sglang'], {
    reasoning: reasoning(REASONING_EFFORTS),
    response_format: responseFormat,
    strict,
    temperature,
    tool_call_parser: Optional(Type.String()),
  }),
  ...settings(['anthropic', 'moonshot_coding'], {
    effort: Optional(OneOf(EFFORTS)),
    response_format: responseFormat,
    strict,
    temperature,
    thinking: Optional(Strict({ budget_tokens: Optional(Int()), type: Optional(OneOf(['enabled', 'disabled'])) })),
    verbosity: Optional(OneOf(VERBOSITIES)),
  }),
  ...settings(['google_ai', 'google_vertex'], {
    response_schema: responseFormat,
    temperature,
    thinking_config: Optional(
      Strict({ include_thoughts: Optional(Type.Boolean()), thinking_budget: Optional(Type.Integer()) }),
    ),
  }),
  ...settings(['azure', 'xai', 'groq', 'deepseek', 'together', 'bedrock', 'openrouter'], {
    response_format: responseFormat,
    temperature,
  }),
  ...settings(['moonshot'], { response_format: responseFormat, strict, temperature }),
  ...settings(['zai'], {
    response_format: responseFormat,
    temperature,
    thinking: Optional(
      Strict({ clear_thinking: Optional(Type.Boolean()), type: Optional(OneOf(['enabled', 'disabled'])) }),
    ),
  }),
  ...settings(['baseten'], { temperature }),
  ...settings(['chatgpt_oauth'], {
    reasoning: reasoning(REASONING_EFFORTS.filter((e) => e !== 'minimal')),
    temperature,
  }),
]

/** The provider of a variant of settings. */
const providerOf = (variant: unknown) =>
  (variant as { properties: { provider_type: { const: string } } }).properties.provider_type.const

/** The providers that have settings of their own. */
export const SETTINGS_PROVIDERS = variants.map(providerOf)

/** Settings of a model: a union of 17 variants, distinguished by `provider_type`. */
export const ModelSettings = Type.Unsafe<Record<string, unknown> & { provider_type?: string }>({
  $id: 'ModelSettings',
  anyOf: variants,
})
export type ModelSettings = Static<typeof ModelSettings>

export const LlmConfig = Stored(
  {
    context_window: Int({ minimum: 1 }),
    model: Type.String(),
    model_endpoint_type: OneOf(MODEL_ENDPOINT_TYPES),
    compatibility_type: Optional(OneOf(['gguf', 'mlx'])),
    display_name: Optional(Type.String()),
    effort: Optional(OneOf(EFFORTS)),
    enable_reasoner: Optional(Type.Boolean()),
    frequency_penalty: Optional(Type.Number({ minimum: -2, maximum: 2 })),
    handle: Optional(Type.String()),
    max_reasoning_tokens: Optional(
      Int({ description: 'At least 1024 when used with enable_reasoner; 0 is no budget.' }),
    ),
    max_tokens: Optional(Int()),
    model_endpoint: Optional(Type.String()),
    model_wrapper: Optional(Type.String()),
    parallel_tool_calls: Optional(Type.Boolean()),
    provider_category: Optional(OneOf(['base', 'byok'])),
    provider_name: Optional(Type.String()),
    put_inner_thoughts_in_kwargs: Optional(Type.Boolean()),
    reasoning_effort: Optional(OneOf(REASONING_EFFORTS)),
    response_format: responseFormat,
    return_logprobs: Optional(Type.Boolean()),
    return_token_ids: Optional(Type.Boolean()),
    strict,
    temperature,
    tier: Optional(Type.String()),
    tool_call_parser: Optional(Type.String()),
    top_logprobs: Optional(Int({ minimum: 0, maximum: 20, description: 'Requires return_logprobs.' })),
    verbosity: Optional(OneOf(VERBOSITIES)),
  },
  { $id: 'LlmConfig' },
)
export type LlmConfig = Static<typeof LlmConfig>

/** Kinds of providers models can be of: `cairn` is the server itself. */
const MODEL_PROVIDER_TYPES = ['cairn', ...providerTypes] as const

const common = {
  name: Type.String({ description: "The provider's own name of the model." }),
  display_name: Type.String(),
  provider_type: OneOf(MODEL_PROVIDER_TYPES),
  provider_name: Type.String(),
}

type Fields<T> = { [K in keyof T]-?: TSchema }

const fieldsOf = <T>(shape: unknown) => (shape as { properties: Fields<T> }).properties

/** The fields of a shape with none required. */
const allOptional = <T>(shape: unknown) =>
  Object.fromEntries(
    Object.entries(fieldsOf<T>(shape) as Record<string, TSchema>).map(([name, field]) => [name, Optional(field)]),
  )

export const Model = Type.Unsafe<
  LlmConfig & Static<TObject<typeof common>> & { model_type: 'llm'; max_context_window: number }
>(
  Shape('Model', {
    ...allOptional<LlmConfig>(LlmConfig),
    model: Type.String(),
    model_endpoint_type: OneOf(MODEL_ENDPOINT_TYPES),
    context_window: Int({ minimum: 1 }),
    handle: Type.String({ description: 'provider/model-name' }),
    ...common,
    model_type: Type.Literal('llm'),
    max_context_window: Int({ minimum: 1, description: 'In tokens.' }),
  }),
)
export type Model = Static<typeof Model>

export const EmbeddingModel = Type.Unsafe<
  EmbeddingConfig & Static<TObject<typeof common>> & { model_type: 'embedding' }
>(
  Shape('EmbeddingModel', {
    ...allOptional<EmbeddingConfig>(EmbeddingConfig),
    embedding_model: Type.String(),
    embedding_endpoint_type: OneOf(EMBEDDING_ENDPOINT_TYPES),
    embedding_dim: Int({ minimum: 1, description: 'How many numbers a vector has.' }),
    handle: Type.String({ description: 'provider/model-name' }),
    ...common,
    model_type: Type.Literal('embedding'),
  }),
)
export type EmbeddingModel = Static<typeof EmbeddingModel>

export const ListModels = Query({
  provider_category: Optional(
    FilterList(OneOf(['base', 'byok']), { description: "base: the server's providers; byok: the organization's own." }),
  ),
  provider_name: Optional(Type.String({ description: 'Exactly this name.' })),
  provider_type: Optional(OneOf(MODEL_PROVIDER_TYPES)),
})
export type ListModels = Static<typeof ListModels>

const STORAGE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const
export type StorageUnit = (typeof STORAGE_UNITS)[number]

const storageUnit = Optional(OneOf(STORAGE_UNITS, { description: 'Default GB.' }))

/** The published API has the first spelling, its server took the second. */
export const StorageHeaders = Type.Object({ 'storage-unit': storageUnit, storage_unit: storageUnit })
