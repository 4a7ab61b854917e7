import type { Scope } from '../../db/scope.ts'
import type { BaseProvider } from '../../lib/base-providers.ts'
import type { Egress } from '../../lib/egress.ts'
import { EgressError } from '../../lib/egress-address.ts'
import { inBody, invalid, type ValidationIssue } from '../../lib/errors.ts'
import { apiUrl, factsOf, type ProviderType } from '../../lib/provider-types.ts'
import { type Connection, ProviderError } from '../../llm/connection.ts'
import { checkCredentials } from '../../llm/listing.ts'
import type { ProviderRow } from './table.ts'

/** The fields of a request that say how to reach a provider. */
export interface Reach {
  api_key?: string | null | undefined
  access_key?: string | null | undefined
  base_url?: string | null | undefined
  region?: string | null | undefined
  api_version?: string | null | undefined
}

const FIELDS = ['api_key', 'access_key', 'base_url', 'region', 'api_version'] as const

/** Trims the fields; an empty field becomes null. */
export function trimmed(body: Reach): Reach {
  const set = FIELDS.filter((field) => body[field] !== undefined)
  return Object.fromEntries(set.map((field) => [field, body[field]?.trim() || null]))
}

/** 422 for a base URL that isn't one, that this server doesn't connect to, or that a kind of provider needs. */
export async function checkReach(egress: Egress, type: ProviderType, reach: Reach, complete: boolean): Promise<void> {
  const faults: ValidationIssue[] = []
  const { url, keyless } = factsOf(type)
  const missing = (field: keyof Reach) => (complete ? !reach[field] : reach[field] === null)
  if (!url && missing('base_url')) faults.push(inBody('base_url', `is needed for a provider of the type ${type}`))
  if (!keyless && missing('api_key')) faults.push(inBody('api_key', `is needed for a provider of the type ${type}`))
  if (reach.api_key && !/^[\x20-\x7e\s]+$/.test(reach.api_key)) faults.push(inBody('api_key', 'must be ASCII'))
  if (reach.base_url) {
    try {
      await egress.check(reach.base_url)
      const { search, hash } = new URL(reach.base_url)
      if (search || hash) faults.push(inBody('base_url', 'must not have a query or a fragment'))
    } catch (error) {
      if (!(error instanceof EgressError)) throw error
      faults.push(inBody('base_url', `cannot be used: ${error.message.replace(/\.$/, '')}`))
    }
  }
  if (faults.length > 0) throw invalid(...faults)
}

/** A ciphertext belongs to one field of one provider: moved elsewhere it doesn't decrypt. */
const cipherContext = (scope: Scope, id: string, field: string) => `${scope.organizationId}/${id}/${field}`

/** The encrypted columns of the keys: undefined for a field that is absent, null for a field to clear. */
export function sealed(scope: Scope, id: string, { api_key, access_key }: Reach) {
  const seal = (value: string | null | undefined, field: string) =>
    value == null ? value : scope.cipher.encrypt(value, cipherContext(scope, id, field))
  return { api_key_enc: seal(api_key, 'api_key'), access_key_enc: seal(access_key, 'access_key') }
}

/** A decrypted key, or undefined. */
export const opened = (scope: Scope, id: string, field: 'api_key' | 'access_key', value: string | null) =>
  value === null ? undefined : scope.cipher.decrypt(value, cipherContext(scope, id, field))

/** The connection with credentials that are not stored. */
export function connectionTo(egress: Egress, type: ProviderType, reach: Reach, name: string = type): Connection {
  const text = (field: keyof Reach) => reach[field] ?? undefined
  return {
    name,
    type,
    url: apiUrl(type, reach.base_url, text('region'))!,
    apiKey: text('api_key'),
    accessKey: text('access_key'),
    region: text('region'),
    apiVersion: text('api_version'),
    fetch: egress.fetch,
  }
}

/** The columns of a provider that a connection needs. */
export type StoredReach = Pick<
  ProviderRow,
  'id' | 'name' | 'provider_type' | 'base_url' | 'region' | 'api_version' | 'api_key_enc' | 'access_key_enc'
>

/** The connection to a provider of the organization, with its keys. */
export function connectionOf(scope: Scope, egress: Egress, row: StoredReach): Connection {
  const keys = {
    api_key: opened(scope, row.id, 'api_key', row.api_key_enc),
    access_key: opened(scope, row.id, 'access_key', row.access_key_enc),
  }
  return connectionTo(egress, row.provider_type, { ...row, ...keys }, row.name)
}

/** The connection to a provider of the server's settings: the operator has chosen its address. */
export function baseConnection(egress: Egress, { baseUrl, ...provider }: BaseProvider): Connection {
  return { ...provider, url: apiUrl(provider.type, baseUrl, provider.region)!, fetch: egress.trusted }
}

/** 422 unless the provider accepts the credentials; 502 when the provider can't be reached. */
export async function checkKey(connection: Connection): Promise<void> {
  try {
    if (await checkCredentials(connection)) return
  } catch (error) {
    if (error instanceof ProviderError && error.key)
      throw invalid(inBody('api_key', `is wrong: ${error.message.replace(/\.$/, '')}`))
    throw error
  }
  throw invalid(
    inBody(
      'provider_type',
      `is ${connection.type}, whose credentials cannot be checked without using one of its models`,
    ),
  )
}
