import { sql } from 'kysely'
import type { LinkChange } from '../../db/link.ts'
import type { Scope } from '../../db/scope.ts'
import type { Egress } from '../../lib/egress.ts'
import { conflict, inBody, invalid, notFound } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { apiUrl } from '../../lib/provider-types.ts'
import { connectionOf, opened, type Reach, sealed, trimmed } from './connect.ts'
import { type CreateProvider, type ListProviders, type PinnedModel, providers, type UpdateProvider } from './schema.ts'
import type { ProviderRow } from './table.ts'

/** The provider of the built-in models. */
const BUILT_IN = 'cairn'

/** Providers of the organization, newest first. */
export const listProviders = (scope: Scope, { name, provider_type, ...page }: ListProviders) =>
  scope.list(providers, page, (query) =>
    query
      .$if(name !== undefined, (q) => q.where('providers.name', '=', name!))
      .$if(provider_type !== undefined, (q) => q.where('providers.provider_type', '=', provider_type!)),
  )

/** The row of a provider, with its encrypted keys. 404. */
async function storedProvider(scope: Scope, id: string): Promise<ProviderRow> {
  const [row] = await scope.query<ProviderRow>(
    sql`select * from providers where organization_id = ${scope.organizationId} and id = ${id}`,
  )
  if (!row) throw notFound('provider', id)
  return row
}

/** The connection to a provider of the organization. 404. */
export const connectionWith = async (scope: Scope, egress: Egress, id: string) =>
  connectionOf(scope, egress, await storedProvider(scope, id))

/** Sets the models that the owner names, inside the scope's transaction. Returns the change for the history. */
async function setPinned(scope: Scope, providerId: string, models: readonly PinnedModel[]): Promise<LinkChange[]> {
  const seen = new Set<string>()
  const issues = models.flatMap(({ model_type, name }, n) => {
    const key = `${model_type} ${name}`
    const again = seen.has(key)
    seen.add(key)
    return again ? [inBody(`models[${n}].name`, `"${name}" is there already`)] : []
  })
  if (issues.length > 0) throw invalid(...issues)
  const values = sql`jsonb_populate_recordset(null::provider_models, ${JSON.stringify(models)}::jsonb)`
  const removed = await scope.query<{ name: string }>(sql`
    delete from provider_models as m where organization_id = ${scope.organizationId} and provider_id = ${providerId}
      and pinned and not exists (select from ${values} as g where g.model_type = m.model_type and g.name = m.name)
    returning name`)
  const added = await scope.query<{ name: string }>(sql`
    insert into provider_models (organization_id, provider_id, model_type, name, display_name, context_window,
      max_output_tokens, embedding_dim, pinned)
    select ${scope.organizationId}, ${providerId}, model_type, name, display_name, context_window, max_output_tokens,
      embedding_dim, true from ${values} as g
    on conflict (organization_id, provider_id, model_type, name) do update set
      display_name = excluded.display_name, context_window = excluded.context_window, pinned = true,
      max_output_tokens = excluded.max_output_tokens, embedding_dim = excluded.embedding_dim
    where (provider_models.display_name, provider_models.context_window, provider_models.max_output_tokens,
        provider_models.embedding_dim, provider_models.pinned)
      is distinct from (excluded.display_name, excluded.context_window, excluded.max_output_tokens,
        excluded.embedding_dim, true)
    returning name`)
  if (added.length + removed.length === 0) return []
  const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name).sort()
  return [{ table: 'provider_models', added: names(added), removed: names(removed) }]
}

/**
 * Makes a provider, whose models are listed in the background. 409 for a name that is taken, be it by the server's own
 * providers, which are `reserved`.
 */
export function createProvider(
  scope: Scope,
  reserved: ReadonlySet<string>,
  { name, provider_type, models, ...body }: CreateProvider,
) {
  if (name === BUILT_IN || reserved.has(name)) {
    throw conflict(`The server has a provider with the name ${JSON.stringify(name)}: choose another.`)
  }
  const { api_key, access_key, ...reach } = trimmed(body)
  const id = newId('provider')
  return scope.transaction(async (tx) => {
    const pinned = [...(models ?? [])]
    const columns = { id, name, provider_type, ...reach, ...sealed(scope, id, { api_key, access_key }) }
    await tx.insert(providers, columns, [[{ table: 'provider_models' }, pinned.map((model) => model.name)]])
    await setPinned(tx, id, pinned)
    await tx.enqueue('sync_provider', { provider_id: id }, id)
    return tx.retrieve(providers, id)
  })
}

/** 422 for a new address without new keys: otherwise a caller who may change the address could receive the keys. */
function checkAddress(row: ProviderRow, { base_url, api_key, access_key }: Reach): void {
  if (base_url === undefined || (row.api_key_enc === null && row.access_key_enc === null)) return
  const origin = (url: string | null) => new URL(apiUrl(row.provider_type, url, row.region) ?? 'http://none').origin
  if (origin(base_url) === origin(row.base_url)) return
  const issues = [
    ...(row.api_key_enc !== null && api_key === undefined ? ['api_key'] : []),
    ...(row.access_key_enc !== null && access_key === undefined ? ['access_key'] : []),
  ].map((field) => inBody(field, 'must be given again with another base_url: it is kept for the old address alone'))
  if (issues.length > 0) throw invalid(...issues)
}

/** Changes the fields in the body; `models` replaces the whole list. A job lists the provider's models again. */
export function modifyProvider(scope: Scope, id: string, { models, ...body }: UpdateProvider) {
  const reach = trimmed(body)
  return scope.locking(providers, id, async (tx) => {
    const row = await storedProvider(tx, id)
    checkAddress(row, reach)
    const { api_key, access_key, ...plain } = reach
    // An unchanged key stays as it is: a second encryption would look like a change.
    const changed = (field: 'api_key' | 'access_key', value: string | null | undefined) =>
      value !== undefined && (value ?? undefined) === opened(tx, id, field, row[`${field}_enc`]) ? undefined : value
    const keys = sealed(tx, id, { api_key: changed('api_key', api_key), access_key: changed('access_key', access_key) })
    const links = models === undefined ? [] : await setPinned(tx, id, models ?? [])
    await tx.update(providers, id, { ...plain, ...keys }, links)
    await tx.enqueue('sync_provider', { provider_id: id }, id)
    return tx.retrieve(providers, id)
  })
}
