import type { LinkRow, RowOf } from '../../db/tables.ts'
import type { EmbeddingConfig, VectorDbProvider } from '../models/schema.ts'
import type { FileRecord, Folder } from './schema.ts'

export interface FolderRow extends RowOf<Folder> {
  vector_db_provider: VectorDbProvider
  /** The model that serves searches while another one embeds the passages; null: `embedding_config`. */
  serving_config: EmbeddingConfig | null
  /** Why the passages could not be embedded. */
  embedding_error: string | null
}

export interface FileRow extends RowOf<FileRecord> {
  content: string | null
  /** The number of numbered lines of the text: see lines.ts. */
  line_count: number | null
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
    agents_folders: LinkRow<'agent_id' | 'source_id'>
  }
}
