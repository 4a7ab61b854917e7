import { closest, distance } from 'fastest-levenshtein'
import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { type ApiError, inBody, invalid } from '../../lib/errors.ts'
import { withoutNulls } from '../../lib/json.ts'
import { factsOf, type ProviderType, providerTypes } from '../../lib/provider-types.ts'
import {
  CONTEXT_WINDOW,
  EMBEDDING_MODELS,
  knownDimension,
  knownWindow,
  LANGUAGE_MODELS,
} from '../../llm/known-models.ts'
import { EMBEDDED, embeddingConfigWith, llmConfigOf } from './config.ts'
import { unusable } from './embedding.ts'
import { type KnownModel, type KnownProvider, known, knownHandles } from './known.ts'
import { type EmbeddingConfig, type LlmConfig, MODEL_ENDPOINT_TYPES } from './schema.ts'

/** The built-in embedding model: needs no network and no key. */
export const DEFAULT_EMBEDDING: EmbeddingConfig = {
  embedding_model: 'lexical',
  handle: 'cairn/lexical',
  embedding_endpoint_type: 'native',
  embedding_dim: 512,
  ...EMBEDDED,
}

/** What the handles of a request mean to an organization. */
export interface Catalog {
  /** The configuration of a language model. 422 for a handle that is known to name none. */
  llm(handle: string): LlmConfig
  /** The configuration of an embedding model. 422 for a handle that is known to name none, or of unknown dimension. */
  embedding(handle: string): EmbeddingConfig
}

type Kind = KnownModel['model_type']

/** How many known handles an error tells. */
const NEAREST = 3

type Row = KnownProvider & { [K in keyof Omit<KnownModel, keyof KnownProvider>]: KnownModel[K] | null }

const nearest = (handle: string, handles: readonly string[]): string[] =>
  handles
    .map((one) => [one, distance(handle.toLowerCase(), one.toLowerCase())] as const)
    .sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
    .slice(0, NEAREST)
    .map(([one]) => one)

/** The kind of provider that a name stands for where there is no provider of that name. */
const kindNamed = (name: string): ProviderType | undefined => providerTypes.find((type) => type === name)

/** How many letters of a provider's name may be wrong for it to be meant. */
const MISSPELLED = 2

/** Handles that may mean something without a listing: this one with its provider spelled right, and models known of. */
function unlistedLike(kind: Kind, handle: string): string[] {
  const { provider, name } = split(handle)
  const type = closest(provider, providerTypes)
  const meant = distance(provider, type) <= MISSPELLED ? [`${type}/${name}`] : []
  const known = Object.entries(kind === 'llm' ? LANGUAGE_MODELS : EMBEDDING_MODELS)
  return [...meant, ...known.flatMap(([owner, names]) => names.map((one) => `${owner}/${one}`))]
}

function split(handle: string): { provider: string; name: string } {
  const slash = handle.indexOf('/')
  return { provider: handle.slice(0, slash), name: handle.slice(slash + 1) }
}

/** The providers of an organization, and those of its models that these handles may name. */
async function readKnown(scope: Scope, handles: readonly string[]) {
  // Ollama names a model with its tag, and people leave the usual one out.
  const spelled = handles.flatMap((handle) => [handle, `${handle}:latest`])
  const rows =
    handles.length === 0
      ? []
      : await scope.query<Row>(sql`
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

/** Why a handle is known to name no model, or none that can be used, or undefined. */
function faultOf(kind: Kind, handle: string, there: KnownProvider | undefined, model: KnownModel | undefined) {
  const { provider, name } = split(handle)
  const type = there?.provider_type ?? kindNamed(provider)
  if (there) {
    // Only what a provider has listed can tell that a model isn't there.
    const listed = there.last_synced !== null && factsOf(there.provider_type).listing !== 'none'
    if (!model && listed) return `names no ${kind === 'llm' ? 'language' : 'embedding'} model that "${provider}" has`
  } else if (provider === 'cairn') {
    return `names no ${kind === 'llm' ? 'language' : 'embedding'} model of the server: "${name}"`
  } else if (!type && !(kind === 'llm' && MODEL_ENDPOINT_TYPES.some((one) => one === provider))) {
    return `names the provider "${provider}", which is not known here`
  }
  if (kind === 'llm') return undefined
  if (type && !factsOf(type).embedding) return withoutEmbedding(provider)
  return (model?.embedding_dim ?? knownDimension(name)) ? undefined : 'names a model whose dimension is not known here'
}

const withoutEmbedding = (provider: string) => `names the provider "${provider}", which has no embedding models`

/**
 * What handles mean, by one statement, and one more when some of them mean nothing: their errors tell the nearest ones
 * that do.
 */
export async function catalogOf(
  scope: Scope,
  handles: { llm?: readonly (string | null | undefined)[]; embedding?: readonly (string | null | undefined)[] },
): Promise<Catalog> {
  const asked = (kind: Kind) => [
    ...new Set(
      (handles[kind] ?? []).filter(
        (one): one is string => Boolean(one) && !(kind === 'embedding' && one === DEFAULT_EMBEDDING.handle),
      ),
    ),
  ]
  const { providers, find } = await readKnown(scope, [...asked('llm'), ...asked('embedding')])
  const refused = new Map<string, ApiError>()
  for (const kind of ['llm', 'embedding'] as const) {
    const faults = asked(kind).flatMap((handle) => {
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
      const error = refused.get(`llm ${handle}`)
      if (error) throw error
      const { provider, name } = split(handle)
      const model = find('llm', handle)
      const there = model ?? providers.get(provider)
      const window = model?.context_window ?? knownWindow(name)
      return there ? llmConfigOf({ ...there, name, context_window: window ?? null }) : namedAlone(provider, name)
    },
    embedding(handle) {
      if (handle === DEFAULT_EMBEDDING.handle) return DEFAULT_EMBEDDING
      const error = refused.get(`embedding ${handle}`)
      if (error) throw error
      const { provider, name } = split(handle)
      const model = find('embedding', handle)
      const there = model ?? providers.get(provider)
      const provider_type = kindNamed(provider)!
      const alone = { provider, provider_type, category: 'base' as const, base_url: null, region: null }
      const dimension = model?.embedding_dim ?? knownDimension(name)
      return embeddingConfigWith({ ...(there ?? alone), name: model?.name ?? name }, dimension!)
    },
  }
}

/** The model of a handle whose provider isn't there: it can't be checked before one is. */
function namedAlone(provider: string, name: string): LlmConfig {
  const type = MODEL_ENDPOINT_TYPES.find((known) => known === provider) ?? factsOf(kindNamed(provider)!).llm
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

/** The handle a body is answered by, for the catalog. */
export const embeddingHandleIn = ({ embedding, embedding_config }: EmbeddingBody) =>
  embedding_config ? undefined : embedding

/**
 * The embedding configuration a body asks for: the given one, else its handle's, else undefined. 422 for one that can't be
 * used on this server.
 */
export function embeddingConfigIn(
  catalog: Catalog,
  { embedding, embedding_config }: EmbeddingBody,
): EmbeddingConfig | undefined {
  if (embedding_config) {
    const config = withoutNulls(embedding_config)
    const reason = unusable(config)
    if (reason) throw invalid(inBody('embedding_config', `cannot be used: ${reason}`))
    return config
  }
  return embedding ? catalog.embedding(embedding) : undefined
}

/** The same for one body. 422 also for a handle the organization has no model of. */
export async function embeddingConfigOf(scope: Scope, body: EmbeddingBody): Promise<EmbeddingConfig | undefined> {
  return embeddingConfigIn(await catalogOf(scope, { embedding: [embeddingHandleIn(body)] }), body)
}
