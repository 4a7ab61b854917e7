import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { type ApiError, inBody, invalid } from '../../lib/errors.ts'
import { omitNulls } from '../../lib/json.ts'
import { factsOf } from '../../lib/provider-types.ts'
import { CONTEXT_WINDOW, knownDimension, knownWindow } from '../../llm/known-models.ts'
import { EMBEDDED, embeddingConfigWith, llmConfigOf } from './config.ts'
import { malformed } from './embedding.ts'
import { type Kind, split, typeNamed } from './handle.ts'
import { faultOf, nearest, unlistedLike } from './handle-faults.ts'
import { type KnownModel, type KnownProvider, known, knownHandles } from './known.ts'
import { type EmbeddingConfig, type LlmConfig, MODEL_ENDPOINT_TYPES } from './schema.ts'

type Row = KnownProvider & { [K in keyof Omit<KnownModel, keyof KnownProvider>]: KnownModel[K] | null }

/** The providers of an organization, and its models with these handles. */
export async function readKnown(scope: Scope, handles: readonly string[]) {
  // Ollama names a model with its tag, and people omit the tag "latest".
  const spelled = handles.flatMap((handle) => [handle, `${handle}:latest`])
  const rows =
    handles.length === 0
      ? []
      : await scope.read<Row>(sql`
          with ${known(scope)}
          select known.provider, known.provider_type, known.category, known.base_url, known.region, known.last_synced,
            m.model_type, m.name, m.display_name, m.context_window, m.max_output_tokens, m.embedding_dim
          from known left join models as m
            on m.provider = known.provider and m.provider || '/' || m.name = any(${spelled}::text[])`)
  const providers = new Map<string, KnownProvider>(rows.map((row) => [row.provider, row]))
  const models = new Map(rows.map((row) => [`${row.model_type} ${row.provider}/${row.name}`, row as KnownModel]))
  const find = (kind: Kind, handle: string) => {
    const ollama = providers.get(split(handle).provider)?.provider_type === 'ollama'
    return models.get(`${kind} ${handle}`) ?? (ollama ? models.get(`${kind} ${handle}:latest`) : undefined)
  }
  return { providers, find }
}

/** The built-in embedding model: needs no network and no key. */
export const DEFAULT_EMBEDDING: EmbeddingConfig = {
  embedding_model: 'lexical',
  handle: 'cairn/lexical',
  embedding_endpoint_type: 'hugging-face',
  embedding_dim: 512,
  ...EMBEDDED,
}

/** The built-in language model: deterministic, needs no network and no key. */
export const SCRIPTED: LlmConfig = {
  handle: 'cairn/scripted',
  model: 'scripted',
  model_endpoint_type: 'openai',
  provider_name: 'cairn',
  provider_category: 'base',
  context_window: 128_000,
}

/** The built-in models. */
const BUILT_IN: Readonly<Record<Kind, string>> = { llm: SCRIPTED.handle!, embedding: DEFAULT_EMBEDDING.handle! }

/** The models that the handles of a request name. */
export interface Catalog {
  /** The configuration of a language model. 422 for a handle that names no model. */
  llm(handle: string): LlmConfig
  /** The configuration of an embedding model. 422 for a handle that names no model, or a model of unknown dimension. */
  embedding(handle: string): EmbeddingConfig
  /** Whether an embedding model has a configuration. */
  hasEmbedding(handle: string): boolean
}

/**
 * Resolves handles by one statement, and by one more if some handles name no model: their errors suggest the nearest
 * known handles.
 */
export async function catalogOf(
  scope: Scope,
  handles: { llm?: readonly (string | null | undefined)[]; embedding?: readonly (string | null | undefined)[] },
): Promise<Catalog> {
  const requested = (kind: Kind) => [
    ...new Set((handles[kind] ?? []).filter((one): one is string => Boolean(one) && one !== BUILT_IN[kind])),
  ]
  const { providers, find } = await readKnown(scope, [...requested('llm'), ...requested('embedding')])
  const refused = new Map<string, ApiError>()
  for (const kind of ['llm', 'embedding'] as const) {
    const faults = requested(kind).flatMap((handle) => {
      const fault = faultOf(kind, handle, providers.get(split(handle).provider), find(kind, handle))
      return fault ? [{ handle, fault }] : []
    })
    if (faults.length === 0) continue
    const listed = await knownHandles(scope, kind)
    const [field, config] = kind === 'llm' ? ['model', 'llm_config'] : ['embedding', 'embedding_config']
    for (const { handle, fault } of faults) {
      const besides = unlistedLike(kind, handle).filter(
        (one) => !faultOf(kind, one, providers.get(split(one).provider), undefined),
      )
      const near = nearest(handle, [
        ...new Set([...listed, ...besides, ...(kind === 'embedding' ? [DEFAULT_EMBEDDING.handle!] : [])]),
      ])
      const hint = `; the nearest known ones are ${near.join(', ')}`
      refused.set(`${kind} ${handle}`, invalid(inBody(field!, `${fault}${hint}; give ${config} for another`)))
    }
  }

  return {
    llm(handle) {
      if (handle === SCRIPTED.handle) return SCRIPTED
      const error = refused.get(`llm ${handle}`)
      if (error) throw error
      const { provider, name } = split(handle)
      const model = find('llm', handle)
      const there = model ?? providers.get(provider)
      const window = model?.context_window ?? knownWindow(name)
      return there ? llmConfigOf({ ...there, name, context_window: window ?? null }) : namedAlone(provider, name)
    },
    hasEmbedding: (handle) => !refused.has(`embedding ${handle}`),
    embedding(handle) {
      if (handle === DEFAULT_EMBEDDING.handle) return DEFAULT_EMBEDDING
      const error = refused.get(`embedding ${handle}`)
      if (error) throw error
      const { provider, name } = split(handle)
      const model = find('embedding', handle)
      const there = model ?? providers.get(provider)
      const provider_type = typeNamed(provider)!
      const alone = { provider, provider_type, category: 'base' as const, base_url: null, region: null }
      const dimension = model?.embedding_dim ?? knownDimension(name)
      return embeddingConfigWith({ ...(there ?? alone), name: model?.name ?? name }, dimension!)
    },
  }
}

/** The model of a handle without a provider: unchecked, as only a provider lists its models. */
function namedAlone(provider: string, name: string): LlmConfig {
  const type = MODEL_ENDPOINT_TYPES.find((known) => known === provider) ?? factsOf(typeNamed(provider)!).llm
  return {
    handle: `${provider}/${name}`,
    model: name,
    model_endpoint_type: type as LlmConfig['model_endpoint_type'],
    provider_name: provider,
    provider_category: 'base',
    context_window: CONTEXT_WINDOW,
  }
}

interface EmbeddingBody {
  embedding?: string | null | undefined
  embedding_config?: EmbeddingConfig | null | undefined
}

/** The handle in a body that the catalog has to resolve, or undefined. */
export const embeddingHandleIn = ({ embedding, embedding_config }: EmbeddingBody) =>
  embedding_config ? undefined : embedding

/**
 * The embedding configuration of a body: its own, which may be one that this server can't use, or that of its handle. 422 for
 * a malformed one.
 */
export function embeddingConfigIn(
  catalog: Catalog,
  { embedding, embedding_config }: EmbeddingBody,
): EmbeddingConfig | undefined {
  if (embedding_config) {
    const config = omitNulls(embedding_config)
    const reason = malformed(config)
    if (reason) throw invalid(inBody('embedding_config', `cannot be used: ${reason}`))
    return config
  }
  return embedding ? catalog.embedding(embedding) : undefined
}

/** The embedding configuration of one body, as `embeddingConfigIn`. 422 also for a handle that names no model. */
export async function embeddingConfigOf(scope: Scope, body: EmbeddingBody): Promise<EmbeddingConfig | undefined> {
  return embeddingConfigIn(await catalogOf(scope, { embedding: [embeddingHandleIn(body)] }), body)
}
