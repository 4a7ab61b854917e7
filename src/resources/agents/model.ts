import { type Fault, inBody, invalid } from '../../lib/errors.ts'
import { withoutNulls } from '../../lib/json.ts'
import { embeddingConfigOf } from '../models/handles.ts'
import { type EmbeddingConfig, type LlmConfig, MODEL_ENDPOINT_TYPES } from '../models/schema.ts'
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

/** The context window of a model that is named by its handle alone, unless `context_window_limit` says otherwise. */
const CONTEXT_WINDOW = 128_000

function configOfHandle(handle: string): LlmConfig {
  const slash = handle.indexOf('/')
  const provider = handle.slice(0, slash)
  const type = MODEL_ENDPOINT_TYPES.find((known) => known === provider)
  if (!type) {
    throw invalid(
      inBody(
        'model',
        `names the provider "${provider}"; known are ${MODEL_ENDPOINT_TYPES.join(', ')}; give llm_config for another`,
      ),
    )
  }
  return {
    handle,
    model: handle.slice(slash + 1),
    model_endpoint_type: type,
    provider_name: provider,
    provider_category: 'base',
    context_window: CONTEXT_WINDOW,
  }
}

/** What the specification says of numbers that depend on each other. */
function dependentFaults(config: LlmConfig, prefix: string): Fault[] {
  const faults: Fault[] = []
  const { max_reasoning_tokens: budget, max_tokens } = config
  // 0 is how files in the wild say that there is no budget.
  if (config.enable_reasoner && budget !== undefined && budget > 0 && budget < 1024) {
    faults.push(inBody(`${prefix}max_reasoning_tokens`, 'must be at least 1024 when used with enable_reasoner'))
  }
  if (budget !== undefined && max_tokens !== undefined && budget > max_tokens) {
    faults.push(inBody(`${prefix}max_reasoning_tokens`, `must be at most max_tokens, ${max_tokens}`))
  }
  if (config.top_logprobs !== undefined && !config.return_logprobs) {
    faults.push(inBody('llm_config.top_logprobs', 'requires return_logprobs true'))
  }
  return faults
}

/** The handle of a configured model. */
export const handleOf = (config: LlmConfig) =>
  config.handle ?? `${config.provider_name ?? config.model_endpoint_type}/${config.model}`

/**
 * The model an agent is given, and its configuration: `llm_config` as given, else the handle's. With neither, `current`
 * stays (undefined where it isn't needed). 422 for a provider this server doesn't know or numbers that contradict.
 */
export function modelOf(
  body: ModelBody,
  current: LlmConfig | undefined,
): { model: string | null | undefined; llm_config: LlmConfig | undefined } {
  const given = withoutNulls(body.llm_config) ?? (body.model ? configOfHandle(body.model) : undefined)
  const copied = {
    context_window: body.context_window_limit,
    max_tokens: body.max_tokens,
    max_reasoning_tokens: body.max_reasoning_tokens,
    enable_reasoner: body.enable_reasoner ?? body.reasoning,
    parallel_tool_calls: body.parallel_tool_calls,
  }
  const copies = Object.entries(copied).filter(([, value]) => value !== undefined)
  if (!given && copies.length === 0) return { model: body.model, llm_config: undefined }
  const config = { ...(given ?? current!) }
  for (const [field, value] of copies) {
    // null is "no value" here as everywhere, but the window is required.
    if (value !== null) Object.assign(config, { [field]: value })
    else if (field !== 'context_window') delete config[field as keyof LlmConfig]
  }
  const faults = dependentFaults(
    config,
    body.llm_config && body.max_reasoning_tokens === undefined ? 'llm_config.' : '',
  )
  if (faults.length > 0) throw invalid(...faults)
  return { model: given ? (given.handle ?? body.model ?? handleOf(config)) : body.model, llm_config: config }
}

/** The embedding model an agent is given, and its configuration; null where the body clears it. */
export function embeddingOf(body: Pick<CreateAgent, 'embedding' | 'embedding_config' | 'embedding_chunk_size'>): {
  embedding: string | null | undefined
  embedding_config: EmbeddingConfig | null | undefined
} {
  const found = embeddingConfigOf(body)
  if (!found) return { embedding: body.embedding, embedding_config: body.embedding_config }
  const config = body.embedding_chunk_size ? { ...found, embedding_chunk_size: body.embedding_chunk_size } : found
  return { embedding: config.handle ?? body.embedding ?? undefined, embedding_config: config }
}

/** How many files an agent may have open, and how much of each it sees, by the model's context window in tokens. */
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
