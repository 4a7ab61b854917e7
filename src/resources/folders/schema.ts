import { type Static, type TObject, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import { Id, Instant, JsonMap, OneOf, Ref, Shape } from '../../lib/wire.ts'
import { EmbeddingConfig, VectorDbProvider } from '../models/schema.ts'

const { Optional } = Type

const shape = {
  id: Id('source'),
  embedding_config: Ref(EmbeddingConfig),
  name: Type.String(),
  created_at: Optional(Instant()),
  created_by_id: Optional(Type.String()),
  description: Optional(Type.String()),
  instructions: Optional(Type.String({ description: 'How to use the folder.' })),
  last_updated_by_id: Optional(Type.String()),
  metadata: Optional(JsonMap()),
  updated_at: Optional(Instant()),
}

export const Folder = Shape('Folder', shape)
export type Folder = Static<typeof Folder>

/** A folder as it stands in an agent's deprecated `sources`. */
export const Source = Shape('Source', { ...shape, vector_db_provider: Optional(VectorDbProvider) })
export type Source = Static<typeof Source>

const definition = {
  table: 'folders',
  prefix: 'source',
  order: 'asc',
  json: ['metadata'],
  conflicts: { folders_name_key: 'A folder with this name already exists.' },
} as const

export const folders = defineResource<Folder>()(Folder, definition)

/** Folders in their deprecated form: the same rows with one more column. */
export const sources = defineResource<Source>()(Source, definition)

const FileRecord = {
  id: Id('file'),
  source_id: Id('source'),
  file_name: Type.String(),
  original_file_name: Optional(Type.String()),
  file_path: Optional(Type.String()),
  file_type: Optional(Type.String()),
  file_size: Optional(Type.Integer({ description: 'In bytes.' })),
  file_creation_date: Optional(Type.String()),
  file_last_modified_date: Optional(Type.String()),
  processing_status: OneOf(['pending', 'parsing', 'embedding', 'completed', 'error']),
  error_message: Optional(Type.String()),
  total_chunks: Optional(Type.Integer()),
  chunks_embedded: Optional(Type.Integer()),
}

export type FileRecord = Static<TObject<typeof FileRecord>>

/** The files of folders, without their texts, which are too long for the history too. */
export const files = defineResource<FileRecord>()(
  { properties: FileRecord },
  { table: 'files', prefix: 'file', order: 'asc', unlogged: ['content'] },
)
