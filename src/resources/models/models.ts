import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { factsOf } from '../../lib/provider-types.ts'
import { knownDimension, knownWindow } from '../../llm/known-models.ts'
import { embeddingConfigWith, llmConfigOf } from './config.ts'
import { DEFAULT_EMBEDDING, SCRIPTED } from './handles.ts'
import { type KnownModel, known } from './known.ts'
import type { EmbeddingModel, ListModels, LlmConfig, Model, StorageUnit } from './schema.ts'

/** Models an organization can name: the server's own first, then in the order the providers were made. */
const readModels = (scope: Scope, kind: KnownModel['model_type'], filter = sql``) =>
  scope.read<KnownModel>(sql`
    with ${known(scope)} select * from models where model_type = ${kind} ${filter}
    order by category, created_at nulls first, id nulls first, provider, name`)

/** A language model with its configuration, as lists show it. */
const toModel = (
  {
    name,
    display_name,
    provider_type,
    provider,
  }: Pick<KnownModel, 'name' | 'display_name' | 'provider'> & Pick<Model, 'provider_type'>,
  config: LlmConfig,
): Model => ({
  ...config,
  name,
  display_name: display_name ?? name,
  provider_type,
  provider_name: provider,
  model_type: 'llm',
  max_context_window: config.context_window,
})

/** The language models, from the providers' last listings, and the built-in one behind them: nothing is waited for. */
export async function listModels(
  scope: Scope,
  { provider_category, provider_name, provider_type }: ListModels,
): Promise<Model[]> {
  const rows = await readModels(
    scope,
    'llm',
    sql`${provider_category ? sql`and category = any(${provider_category}::text[])` : sql``}
      ${provider_name !== undefined ? sql`and provider = ${provider_name}` : sql``}
      ${provider_type !== undefined ? sql`and provider_type = ${provider_type}` : sql``}`,
  )
  // Clients send the provider's type back in settings of the model.
  const own = { name: SCRIPTED.model, display_name: null, provider_type: 'openai', provider: 'cairn' } as const
  const isWanted =
    (provider_category ?? ['base']).includes('base') &&
    (provider_name ?? own.provider) === own.provider &&
    (provider_type ?? own.provider_type) === own.provider_type
  const listed = rows.map((row) => {
    const context_window = row.context_window ?? knownWindow(row.name) ?? null
    return toModel(row, llmConfigOf({ ...row, context_window }))
  })
  return isWanted ? [...listed, toModel(own, SCRIPTED)] : listed
}

/** The embedding models whose dimension is known, the built-in one first. */
export async function listEmbeddingModels(scope: Scope): Promise<EmbeddingModel[]> {
  const rows = await readModels(scope, 'embedding')
  const listed = rows.flatMap((row): EmbeddingModel[] => {
    const dimension = row.embedding_dim ?? knownDimension(row.name)
    if (!dimension || !factsOf(row.provider_type).embedding) return []
    return [
      {
        ...embeddingConfigWith(row, dimension),
        name: row.name,
        display_name: row.display_name ?? row.name,
        provider_type: row.provider_type,
        provider_name: row.provider,
        model_type: 'embedding',
      },
    ]
  })
  const own: EmbeddingModel = {
    ...DEFAULT_EMBEDDING,
    name: DEFAULT_EMBEDDING.embedding_model,
    display_name: DEFAULT_EMBEDDING.embedding_model,
    provider_type: 'cairn',
    provider_name: 'cairn',
    model_type: 'embedding',
  }
  return [own, ...listed]
}

const BYTES: Record<StorageUnit, number> = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3, TB: 1024 ** 4 }

/** How much room the organization's vectors take: four bytes a number, and eight a vector. */
export async function totalStorageSize(scope: Scope, unit: StorageUnit): Promise<number> {
  const [row] = await scope.read<{ bytes: number }>(sql`
    select coalesce(sum(4::bigint * dimension + 8), 0)::bigint as bytes from embeddings
    where organization_id = ${scope.organizationId}`)
  return Number(row!.bytes) / BYTES[unit]
}
