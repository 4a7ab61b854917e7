import type { OwnedRow } from '../../db/tables.ts'
import type { EmbeddingConfig } from '../models/schema.ts'

export interface FolderRow extends OwnedRow {
  name: string
  description: string | null
  instructions: string | null
  embedding_config: EmbeddingConfig
  metadata: Record<string, unknown> | null
  vector_db_provider: 'native' | 'tpuf' | 'pinecone'
  /** The model that serves searches while another one embeds the passages; null: `embedding_config`. */
  serving_config: EmbeddingConfig | null
  /** Why the passages could not be embedded. */
  embedding_error: string | null
}

export interface FileRow extends OwnedRow {
  source_id: string
  file_name: string
  original_file_name: string | null
  file_path: string | null
  file_type: string | null
  file_size: number | null
  file_creation_date: string | null
  file_last_modified_date: string | null
  processing_status: 'pending' | 'parsing' | 'embedding' | 'completed' | 'error'
  error_message: string | null
  total_chunks: number | null
  chunks_embedded: number | null
  content: string | null
  /** The number of numbered lines of the text: see lines.ts. */
  line_count: number | null
}

export interface AgentFolderRow {
  organization_id: string
  agent_id: string
  source_id: string
  position: number
}

declare module '../../db/jobs.ts' {
  interface JobData {
    /** Parses an uploaded file and makes passages of it. */
    process_file: { file_id: string }
  }
}

declare module '../../db/tables.ts' {
  interface Tables {
    folders: FolderRow
    files: FileRow
    agents_folders: AgentFolderRow
  }
}
