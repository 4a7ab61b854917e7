import { closest, distance } from 'fastest-levenshtein'
import { factsOf, providerTypes } from '../../lib/provider-types.ts'
import { EMBEDDING_MODELS, knownDimension, LANGUAGE_MODELS } from '../../llm/known-models.ts'
import { type Kind, split, typeNamed } from './handle.ts'
import type { KnownModel, KnownProvider } from './known.ts'
import { MODEL_ENDPOINT_TYPES } from './schema.ts'

/** The number of handles that an error suggests. */
const NEAREST = 3

/** The handles that are spelled most like a handle. */
export const nearest = (handle: string, handles: readonly string[]): string[] =>
  handles
    .map((one) => [one, distance(handle.toLowerCase(), one.toLowerCase())] as const)
    .sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
    .slice(0, NEAREST)
    .map(([one]) => one)

/** The number of wrong letters with which a name still counts as that of a provider. */
const MISSPELLED = 2

/** Suggestions without a listing: the handle with its provider spelled correctly, and well-known models. */
export function unlistedLike(kind: Kind, handle: string): string[] {
  const { provider, name } = split(handle)
  const type = closest(provider, providerTypes)
  const corrected = distance(provider, type) <= MISSPELLED ? [`${type}/${name}`] : []
  const known = Object.entries(kind === 'llm' ? LANGUAGE_MODELS : EMBEDDING_MODELS)
  return [...corrected, ...known.flatMap(([owner, names]) => names.map((one) => `${owner}/${one}`))]
}

/** The reason why a handle names no model that can be used, or undefined. */
export function faultOf(kind: Kind, handle: string, there: KnownProvider | undefined, model: KnownModel | undefined) {
  const { provider, name } = split(handle)
  const type = there?.provider_type ?? typeNamed(provider)
  if (there) {
    // Only a listing of a provider shows that a model is missing.
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
