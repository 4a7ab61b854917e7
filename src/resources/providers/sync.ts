import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { listMeasured } from '../../embed/dimensions.ts'
import type { Egress } from '../../lib/egress.ts'
import { ApiError } from '../../lib/errors.ts'
import type { ListedModel } from '../../llm/listed-model.ts'
import { connectionWith } from './providers.ts'

/** The message of an error for the owner of a provider: without anything of the cause. */
export const publicMessage = (error: unknown) =>
  error instanceof ApiError ? error.message : 'Its models could not be listed.'

/**
 * Requests the models of a provider. Call this outside of transactions, as it waits for the network. Stores the message of
 * an error with the provider, and throws the error; stored models stay. 404.
 */
export async function fetchModels(
  scope: Scope,
  egress: Egress,
  id: string,
  signal?: AbortSignal,
): Promise<ListedModel[]> {
  const connection = await connectionWith(scope, egress, id)
  try {
    return await listMeasured(connection, signal)
  } catch (error) {
    await scope.query(sql`update providers set sync_error = ${publicMessage(error)}
      where organization_id = ${scope.organizationId} and id = ${id}`)
    throw error
  }
}

/** Stores the models that a provider lists, beside those that its owner names. Does nothing for a deleted provider. */
export async function storeModels(scope: Scope, id: string, models: readonly ListedModel[]): Promise<void> {
  const values = sql`jsonb_populate_recordset(null::provider_models, ${JSON.stringify(models)}::jsonb)`
  await scope.transaction(async (tx) => {
    const ownRow = sql`organization_id = ${scope.organizationId} and id = ${id}`
    const updated = await tx.query(
      sql`update providers set last_synced = ${new Date().toISOString()}, sync_error = null where ${ownRow} returning id`,
    )
    if (updated.length === 0) return
    await tx.query(sql`
      delete from provider_models as m where organization_id = ${scope.organizationId} and provider_id = ${id}
        and not pinned and not exists (select from ${values} as g where g.model_type = m.model_type and g.name = m.name)`)
    await tx.query(sql`
      insert into provider_models (organization_id, provider_id, model_type, name, display_name, context_window,
        max_output_tokens, embedding_dim)
      select ${scope.organizationId}, ${id}, model_type, name, display_name, context_window, max_output_tokens,
        embedding_dim from ${values} as g
      on conflict (organization_id, provider_id, model_type, name) do update set
        display_name = excluded.display_name, context_window = excluded.context_window,
        max_output_tokens = excluded.max_output_tokens,
        embedding_dim = coalesce(excluded.embedding_dim, provider_models.embedding_dim)
      where not provider_models.pinned returning name`)
  })
}
