import type { Scope } from '../../db/scope.ts'
import { inBody, invalid, type ValidationIssue } from '../../lib/errors.ts'
import { omitNulls } from '../../lib/json.ts'
import { type Catalog, catalogOf, embeddingConfigIn, embeddingHandleIn } from '../models/handles.ts'
import { type EmbeddingConfig, type LlmConfig, type ModelSettings, SETTINGS_PROVIDERS } from '../models/schema.ts'
import type { CreateAgent, UpdateAgent } from './body.ts'

type ModelBody = { [K in ModelField]?: CreateAgent[K] | UpdateAgent[K] | undefined }

type ModelField =
  | 'model'
  | 'llm_config'
  | 'context_window_limit'
  | 'max_tokens'
  | 'max_reasoning_tokens'
  | 'enable_reasoner'
  | 'reasoning'
  | 'parallel_tool_calls'
  | 'model_settings'

/** The issues of numbers that depend on each other. */
function dependentIssues(config: LlmConfig, prefix: string): ValidationIssue[] {
  const issues: ValidationIssue[] = []
  const { max_reasoning_tokens: budget, max_tokens } = config
  // Files in the wild write 0 for "no budget".
  if (config.enable_reasoner && budget !== undefined && budget > 0 && budget < 1024) {
    issues.push(inBody(`${prefix}max_reasoning_tokens`, 'must be at least 1024 when used with enable_reasoner'))
  }
  if (budget !== undefined && max_tokens !== undefined && budget > max_tokens) {
    issues.push(inBody(`${prefix}max_reasoning_tokens`, `must be at most max_tokens, ${max_tokens}`))
  }
  if (config.top_logprobs !== undefined && !config.return_logprobs) {
    issues.push(inBody('llm_config.top_logprobs', 'requires return_logprobs true'))
  }
  return issues
}

/** The handle of a configured model. */
export const handleOf = (config: LlmConfig) =>
  config.handle ?? `${config.provider_name ?? config.model_endpoint_type}/${config.model}`

type EmbeddingBody = Pick<CreateAgent, 'embedding' | 'embedding_config' | 'embedding_chunk_size'>

/** The models that the handles of bodies name. */
export const catalogFor = (
  scope: Scope,
  bodies: readonly (Pick<ModelBody, 'model' | 'llm_config'> & EmbeddingBody)[],
) =>
  catalogOf(scope, {
    llm: bodies.map(({ model, llm_config }) => (llm_config ? undefined : model)),
    embedding: bodies.map(embeddingHandleIn),
  })

/**
 * The model of a body, and its configuration: `llm_config` as it is, else the handle's. With neither, `current`
 * stays (undefined where it isn't needed). 422 for a model the organization doesn't have or numbers that contradict.
 */
export function modelOf(
  catalog: Catalog,
  body: ModelBody,
  current: LlmConfig | undefined,
): { model: string | null | undefined; llm_config: LlmConfig | undefined } {
  const chosen = omitNulls(body.llm_config, 'json_schema') ?? (body.model ? catalog.llm(body.model) : undefined)
  const settings = omitNulls(body.model_settings, 'json_schema')
  const copied = {
    context_window: body.context_window_limit,
    temperature: settings?.temperature,
    max_tokens: settings?.max_output_tokens ?? body.max_tokens,
    max_reasoning_tokens: body.max_reasoning_tokens,
    enable_reasoner: body.enable_reasoner ?? body.reasoning,
    parallel_tool_calls: settings?.parallel_tool_calls ?? body.parallel_tool_calls,
  }
  const copies = Object.entries(copied).filter(([, value]) => value !== undefined)
  if (!chosen && copies.length === 0) return { model: body.model, llm_config: undefined }
  const config = { ...(chosen ?? current!) }
  for (const [field, value] of copies) {
    // null is "no value" here as everywhere, but the window is required.
    if (value !== null) Object.assign(config, { [field]: value })
    else if (field !== 'context_window') delete config[field as keyof LlmConfig]
  }
  const issues = dependentIssues(
    config,
    body.llm_config && body.max_reasoning_tokens === undefined ? 'llm_config.' : '',
  )
  if (issues.length > 0) throw invalid(...issues)
  return { model: chosen ? (chosen.handle ?? body.model ?? handleOf(config)) : body.model, llm_config: config }
}

/**
 * Settings of a model that agree with its configuration, whose provider they name unless they name one.
 */
export function settingsOf(given: ModelSettings | null | undefined, config: LlmConfig): ModelSettings {
  const provider_type = SETTINGS_PROVIDERS.find((provider) => provider === config.model_endpoint_type)
  const { temperature, max_tokens: max_output_tokens } = config
  const settings = { provider_type, ...omitNulls(given, 'json_schema'), temperature, max_output_tokens }
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
}

/**
 * The embedding model of a body, and its configuration; null where the body clears it, and for a model that no provider
 * offers: the name is stored, and refused where it is used.
 */
export function embeddingOf(
  catalog: Catalog,
  body: EmbeddingBody,
): {
  embedding: string | null | undefined
  embedding_config: EmbeddingConfig | null | undefined
} {
  const handle = embeddingHandleIn(body)
  if (handle && !catalog.hasEmbedding(handle)) return { embedding: handle, embedding_config: null }
  const found = embeddingConfigIn(catalog, body)
  if (!found) return { embedding: body.embedding, embedding_config: body.embedding_config }
  const config = body.embedding_chunk_size ? { ...found, embedding_chunk_size: body.embedding_chunk_size } : found
  return { embedding: config.handle ?? body.embedding ?? undefined, embedding_config: config }
}

/** The default limits of open files and of their visible characters, by the model's context window in tokens. */
export function fileLimitsOf(contextWindow: number): {
  max_files_open: number
  per_file_view_window_char_limit: number
} {
  const [, files, characters] = [
    [8_000, 3, 5_000],
    [32_000, 5, 15_000],
    [128_000, 10, 25_000],
    [200_000, 10, 40_000],
    [Number.POSITIVE_INFINITY, 15, 40_000],
  ].find(([window]) => contextWindow <= window!) as [number, number, number]
  return { max_files_open: files, per_file_view_window_char_limit: characters }
}
