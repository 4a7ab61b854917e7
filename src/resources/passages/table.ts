import type { OwnedRow } from '../../db/tables.ts'

export interface PassageRow extends OwnedRow {
  text: string
  /** Where it lies: an archive, or a file of a folder. */
  archive_id: string | null
  source_id: string | null
  file_id: string | null
  file_name: string | null
  metadata: Record<string, unknown>
  tags: string[]
  /** Made by the database: the archive or the folder. */
  container_id: string
}

/** A vector of a passage, by one model. */
export interface EmbeddingRow {
  organization_id: string
  passage_id: string
  container_id: string
  model: string
  /** As pgvector writes it: `[0.1,0.2]`. */
  embedding: string
  dimension: number
}

declare module '../../db/jobs.ts' {
  interface JobData {
    /** Embeds the passages of an archive or a folder that lack a vector of its model, beginning after an id. */
    embed_container: { container_id: string; after?: string }
    /** Brings the hosted store of an archive up to date. */
    sync_container: { container_id: string }
  }
}

declare module '../../db/tables.ts' {
  interface Tables {
    passages: PassageRow
    embeddings: EmbeddingRow
  }
}
