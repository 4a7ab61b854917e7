import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { type Embedder, guardEmbedder } from '../../embed/embedder.ts'
import { lexical } from '../../embed/lexical.ts'
import { createRemoteEmbedder, nameIssue, unavailable } from '../../embed/remote.ts'
import type { BaseProvider } from '../../lib/base-providers.ts'
import type { Egress } from '../../lib/egress.ts'
import { urlIssue } from '../../lib/egress-address.ts'
import { type ApiError, inBody, invalid } from '../../lib/errors.ts'
import { apiUrl, factsOf, type ProviderType, providerTypes } from '../../lib/provider-types.ts'
import type { TransactionGuard } from '../../lib/transaction-guard.ts'
import type { Connection } from '../../llm/connection.ts'
import { baseConnection, connectionOf, type StoredReach } from '../providers/connect.ts'
import type { EmbeddingConfig } from './schema.ts'

/** The name of the built-in model. */
const LEXICAL = 'lexical'

/** The address a configuration names, if any. */
const endpointOf = ({ embedding_endpoint, cloud_endpoint }: EmbeddingConfig) =>
  embedding_endpoint || cloud_endpoint || undefined

/**
 * Whether a configuration means a model of the server itself. The API has no endpoint type for these: they have `hugging-face`,
 * no address, and a handle that begins with `cairn/`, which may be absent for `lexical`. See embedding_model() in SQL.
 */
const isBuiltIn = (config: EmbeddingConfig) =>
  config.embedding_endpoint_type === 'hugging-face' &&
  !endpointOf(config) &&
  (config.handle ? config.handle.startsWith('cairn/') : config.embedding_model === LEXICAL)

/** A key that two configurations share if their vectors are comparable: equal models with equal dimensions. */
export const modelKey = (config: EmbeddingConfig) =>
  `${isBuiltIn(config) ? 'native' : config.embedding_endpoint_type}/${config.embedding_model}/${config.embedding_dim}`

/** Finds the embedder of a configuration. */
export interface Embedders {
  /**
   * The embedder of a configuration, with the keys of the organization's own providers or of the server's. A key goes to
   * its own provider's address and to no other, even if the configuration names another address.
   * 422 for a model that isn't available here, with the remedy.
   */
  of(scope: Scope, config: EmbeddingConfig): Promise<Embedder>
}

/** `embedders` whose models behind a network reject inside a transaction with a TransactionGuardError. */
export const guardEmbedders = (embedders: Embedders, guard: TransactionGuard): Embedders => ({
  of: async (scope, config) => guardEmbedder(await embedders.of(scope, config), guard),
})

/** The reason why a configuration is none: a model's name or an address that no server has. */
export function malformed(config: EmbeddingConfig): string | undefined {
  const endpoint = endpointOf(config)
  return nameIssue(config.cloud_deployment || config.embedding_model) ?? (endpoint && urlIssue(endpoint))
}

/** The reason why this server can't use a configuration, with any providers, or undefined. */
export function unusable(config: EmbeddingConfig): string | undefined {
  const { embedding_endpoint_type: endpointType, embedding_model, embedding_dim, cloud_deployment } = config
  if (!isBuiltIn(config)) {
    return unavailable({ endpointType, model: cloud_deployment || embedding_model }) ?? malformed(config)
  }
  if (embedding_model === LEXICAL && embedding_dim === lexical.dimension) return undefined
  return `the server's own embedding model is cairn/${LEXICAL}, of ${lexical.dimension} dimensions`
}

const refusal = (message: string): ApiError => invalid(inBody('embedding', message))

/** The kind of provider that an endpoint type is the own one of. */
function kindOf(endpointType: string): ProviderType {
  const own = providerTypes.filter((type) => factsOf(type).embedding === endpointType)
  return own.find((type) => type === endpointType) ?? own[0]!
}

/** What connections to providers are made from. `providers` are those of the server's settings. */
export interface Reachable {
  egress: Egress
  providers: readonly BaseProvider[]
}

/** The providers that a configuration can mean, the organization's before the server's. */
export async function candidates(scope: Scope, { egress, providers }: Reachable): Promise<Connection[]> {
  const rows = await scope.read<StoredReach>(sql`
    select * from providers where organization_id = ${scope.organizationId} order by created_at, id`)
  const own = new Set(rows.map(({ name }) => name))
  return [
    ...rows.map((row) => connectionOf(scope, egress, row)),
    ...providers.filter(({ name }) => !own.has(name)).map((provider) => baseConnection(egress, provider)),
  ]
}

/** The connection of a configuration: to a provider's own address, or to the configured address without a key. */
async function connectionFor(scope: Scope, reachable: Reachable, config: EmbeddingConfig): Promise<Connection> {
  const { embedding_endpoint_type: endpointType, handle } = config
  const kind = kindOf(endpointType)
  const endpoint = endpointOf(config)
  const named = handle?.slice(0, handle.indexOf('/'))
  const able = (await candidates(scope, reachable)).filter(({ type }) => factsOf(type).embedding === endpointType)
  if (endpoint === undefined || apiUrl(kind, endpoint) === factsOf(kind).url) {
    // The configuration names no address. Don't use the key of a provider other than the named one.
    const found =
      able.find(({ name }) => name === named) ??
      (named === undefined || named === kind ? able.find(({ type }) => type === kind) : undefined)
    if (found) return found
    throw refusal(
      `there is no provider "${named ?? kind}" for ${endpointType}/${config.embedding_model}: make one with ` +
        "POST /v1/providers/, or have the server's operator set its key",
    )
  }
  const there = able.filter(({ type, url }) => apiUrl(type, endpoint) === url)
  const found = there.find(({ name }) => name === named) ?? there[0]
  if (found) return found
  const { host } = new URL(endpoint)
  const url = apiUrl(kind, endpoint)!
  return { name: host, type: kind, url, apiVersion: config.cloud_version, fetch: reachable.egress.fetch }
}

/** Makes the embedders of configurations. `pauses` between attempts are in milliseconds. */
export const createEmbedders = (reachable: Reachable, pauses?: readonly number[]): Embedders => ({
  async of(scope, config) {
    const { embedding_endpoint_type: endpointType, embedding_model, embedding_dim, batch_size } = config
    const reason = unusable(config)
    if (reason) throw refusal(reason)
    if (isBuiltIn(config)) return lexical
    const model = config.cloud_deployment || embedding_model
    const connection = await connectionFor(scope, reachable, config)
    return createRemoteEmbedder(
      connection,
      { endpointType, model, dimension: embedding_dim, batchSize: batch_size },
      pauses,
    )
  },
})
