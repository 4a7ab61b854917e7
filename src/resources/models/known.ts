import { type RawBuilder, sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import type { ProviderType } from '../../lib/provider-types.ts'
import type { ModelColumns } from '../providers/table.ts'

/** A provider that an organization can name: its own, or one of the server's with no namesake among its own. */
export interface KnownProvider {
  provider: string
  provider_type: ProviderType
  category: 'base' | 'byok'
  base_url: string | null
  region: string | null
  last_synced: string | null
}

/** A model of a provider that an organization can name. */
export type KnownModel = KnownProvider & ModelColumns

const COLUMNS = sql.raw('model_type, name, display_name, context_window, max_output_tokens, embedding_dim')

/** Common table expressions: the `known` providers of an organization, and their `models`. */
export const known = ({ organizationId }: Scope): RawBuilder<unknown> => sql`
  known as (
    select id, name as provider, provider_type, 'byok' as category, base_url, region, last_synced, created_at
    from providers where organization_id = ${organizationId}
    union all
    select null, name, provider_type, 'base', url, null, last_synced, null from base_providers
    where not exists (select from providers
      where organization_id = ${organizationId} and providers.name = base_providers.name)
  ), models as (
    select known.*, ${COLUMNS} from known join provider_models
      on organization_id = ${organizationId} and provider_id = known.id
    union all
    select known.*, ${COLUMNS} from known join base_models on provider_name = provider where category = 'base'
  )`

/** The providers that an organization can name; `id` is null for the server's. */
export const knownProviders = (scope: Scope) =>
  scope.read<{ id: string | null; provider: string }>(sql`with ${known(scope)} select id, provider from known`)

/** Handles an organization can name, for suggestions. */
export async function knownHandles(scope: Scope, type: KnownModel['model_type']): Promise<string[]> {
  const rows = await scope.read<{ handle: string }>(sql`
    with ${known(scope)} select provider || '/' || name as handle from models where model_type = ${type} limit 5000`)
  return rows.map(({ handle }) => handle)
}
