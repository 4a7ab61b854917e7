import type { OwnedRow } from '../../db/tables.ts'
import type { EmbeddingConfig } from '../models/schema.ts'

export interface ArchiveRow extends OwnedRow {
  name: string
  description: string | null
  embedding_config: EmbeddingConfig | null
  metadata: Record<string, unknown> | null
  vector_db_provider: 'native' | 'tpuf' | 'pinecone'
  /** The model that serves searches while another one embeds the passages; null: `embedding_config`. */
  serving_config: EmbeddingConfig | null
  /** Why the passages could not be embedded. */
  embedding_error: string | null
  /** Why the hosted store could not be brought up to date. */
  store_error: string | null
}

export interface AgentArchiveRow {
  organization_id: string
  agent_id: string
  archive_id: string
  position: number
}

declare module '../../db/tables.ts' {
  interface Tables {
    archives: ArchiveRow
    agents_archives: AgentArchiveRow
  }
}
