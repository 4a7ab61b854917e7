import type { OwnedRow } from '../../db/tables.ts'
import type { EmbeddingConfig } from '../models/schema.ts'

export interface ArchiveRow extends OwnedRow {
  name: string
  description: string | null
  embedding_config: EmbeddingConfig | null
  metadata: Record<string, unknown> | null
  vector_db_provider: 'native' | 'tpuf' | 'pinecone'
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
