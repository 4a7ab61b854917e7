import type { OwnedRow } from '../../db/tables.ts'
import type { ProviderType } from '../../lib/provider-types.ts'

export interface ProviderRow extends OwnedRow {
  name: string
  provider_type: ProviderType
  base_url: string | null
  region: string | null
  api_version: string | null
  api_key_enc: string | null
  access_key_enc: string | null
  last_synced: string | null
  sync_error: string | null
}

/** The columns of a model. */
export interface ModelColumns {
  model_type: 'llm' | 'embedding'
  name: string
  display_name: string | null
  context_window: number | null
  max_output_tokens: number | null
  embedding_dim: number | null
}

export interface ProviderModelRow extends ModelColumns {
  organization_id: string
  provider_id: string
  pinned: boolean
}

export interface BaseProviderRow {
  name: string
  provider_type: ProviderType
  url: string | null
  last_synced: string | null
  sync_error: string | null
}

export interface BaseModelRow extends ModelColumns {
  provider_name: string
}

declare module '../../db/jobs.ts' {
  interface JobData {
    /** Lists the models of a provider. */
    sync_provider: { provider_id: string }
  }
}

declare module '../../db/tables.ts' {
  interface Tables {
    providers: ProviderRow
    provider_models: ProviderModelRow
    base_providers: BaseProviderRow
    base_models: BaseModelRow
  }
}
