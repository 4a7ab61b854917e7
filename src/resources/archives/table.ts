import type { LinkRow, RowOf } from '../../db/tables.ts'
import type { EmbeddingConfig, VectorDbProvider } from '../models/schema.ts'
import type { Archive } from './schema.ts'

export interface ArchiveRow extends RowOf<Archive> {
  vector_db_provider: VectorDbProvider
  /** The model that serves searches while another one embeds the passages; null: `embedding_config`. */
  serving_config: EmbeddingConfig | null
  /** Why the passages could not be embedded. */
  embedding_error: string | null
  /** Why the hosted store could not be brought up to date. */
  store_error: string | null
}

declare module '../../db/tables.ts' {
  interface Tables {
    archives: ArchiveRow
    agents_archives: LinkRow<'agent_id' | 'archive_id'>
  }
}
