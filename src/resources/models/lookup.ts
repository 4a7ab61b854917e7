import type { FastifyInstance } from 'fastify'
import type { Scope } from '../../db/scope.ts'
import { issuesOf } from '../../lib/errors.ts'
import { factsOf } from '../../lib/provider-types.ts'
import type { Embedders } from './embedding.ts'
import { type Kind, split } from './handle.ts'
import { faultOf } from './handle-faults.ts'
import { DEFAULT_EMBEDDING, embeddingConfigOf, readKnown } from './handles.ts'
import type { Relist } from './relist.ts'
import type { EmbeddingConfig } from './schema.ts'

/** The fields of bodies and headers that name models. */
interface Naming {
  model?: string | null
  override_model_handle?: string | null
  /** The agents of a template's snapshot. */
  agents?: { model: string }[]
  llm_config?: object | null
  embedding?: string | null | undefined
  override_embedding_handle?: string | null
  embedding_config?: EmbeddingConfig | null
}

/** The providers of the handles that would be refused, although the providers may have the models by now. */
async function unlistedProviders(scope: Scope, body: Naming): Promise<string[]> {
  const handles: [Kind, string | null | undefined][] = [
    ['llm', body.llm_config ? undefined : (body.model ?? body.override_model_handle ?? body.agents?.[0]?.model)],
    ['embedding', body.embedding_config ? undefined : (body.embedding ?? body.override_embedding_handle)],
  ]
  const named = handles.filter((one): one is [Kind, string] => Boolean(one[1]) && one[1] !== DEFAULT_EMBEDDING.handle)
  if (named.length === 0) return []
  const { providers, find } = await readKnown(
    scope,
    named.map(([, handle]) => handle),
  )
  return named.flatMap(([kind, handle]) => {
    const there = providers.get(split(handle).provider)
    const isListed = there && factsOf(there.provider_type).listing !== 'none'
    return isListed && faultOf(kind, handle, there, find(kind, handle)) ? [there.provider] : []
  })
}

/** The reason why no text could be embedded with the model of a body, or undefined. */
async function embeddingIssue(scope: Scope, embedders: Embedders, body: Naming): Promise<string | undefined> {
  const embedding = body.embedding ?? body.override_embedding_handle
  if (!embedding && !body.embedding_config) return undefined
  try {
    const config = await embeddingConfigOf(scope, { ...body, embedding })
    if (config) await embedders.of(scope, config)
    return undefined
  } catch (error) {
    return issuesOf(error)
      .map(({ message }) => message)
      .join('; ')
  }
}

/** A `Warning` header (RFC 7234 §5.5): a warning that concerns the resource, in the characters a header may have. */
const warning = (text: string) => `299 - "${text.replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(/["\\]/g, "'")}"`

/**
 * Asks the provider of an unknown handle once for its models, before the request is handled and outside of transactions, and
 * warns of an embedding model that can't be used here. It concerns routes with `namesModels`.
 */
export function addModelLookup(app: FastifyInstance, relist: Relist, embedders: Embedders): void {
  app.addHook('preHandler', async ({ scope, body, headers, routeOptions }, reply) => {
    const { namesModels } = routeOptions.config
    if (!namesModels) return
    const naming = (body ?? {}) as Naming
    // A header of imports.
    const header = headers['x-override-embedding-model'] as string | undefined
    const providers = await unlistedProviders(scope, { ...naming, embedding: header || naming.embedding })
    if (providers.length > 0) await relist(scope, providers)
    if (namesModels === 'refused' && !naming.embedding_config) return
    const issue = await embeddingIssue(scope, embedders, naming)
    if (issue) reply.header('warning', warning(`The embedding model is stored, but cannot be used: ${issue}`))
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body names models by their handles: an embedding model that nothing offers is `stored` with a warning, or `refused`. */
    namesModels?: 'stored' | 'refused'
  }
}
