import { type Static, type TObject, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import { Create, Id, Instant, Int, JsonMap, Name, OneOf, Page, Params, Patch, Query, Ref } from '../../lib/wire.ts'
import { EmbeddingConfig, Handle, VectorDbProvider } from '../models/schema.ts'

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

export const Folder = Type.Object(shape, { $id: 'Folder', additionalProperties: false })
export type Folder = Static<typeof Folder>

/** A folder as it stands in an agent's deprecated `sources`. */
export const Source = Type.Object(
  { ...shape, vector_db_provider: Optional(VectorDbProvider) },
  { $id: 'Source', additionalProperties: false },
)
export type Source = Static<typeof Source>

const definition = {
  table: 'folders',
  prefix: 'source',
  order: 'asc',
  json: ['metadata'],
  vendorKeyed: ['embedding_config'],
  conflicts: { folders_name_key: 'A folder with this name already exists.' },
} as const

export const folders = defineResource<Folder>()(Folder, definition)

/** Folders in their deprecated form. */
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

/** The files of folders. Their texts are too long to be read by the way, and to be copied into the history. */
export const files = defineResource<Static<TObject<typeof FileRecord>>>()(
  { properties: FileRecord },
  { table: 'files', prefix: 'file', order: 'asc', unlogged: ['content'] },
)

const fields = {
  name: Name(),
  description: Type.String(),
  instructions: Type.String({ description: 'How to use the folder.' }),
  metadata: JsonMap(),
  embedding_config: Ref(EmbeddingConfig),
}

export const CreateFolder = Create(
  {
    ...fields,
    embedding: Handle,
    embedding_chunk_size: Int({ minimum: 1, description: 'Length of the pieces files are cut into. Default 300.' }),
  },
  ['name'],
)
export type CreateFolder = Static<typeof CreateFolder>

export const UpdateFolder = Patch({ ...fields, embedding: Handle }, ['name', 'embedding', 'embedding_config'])
export type UpdateFolder = Static<typeof UpdateFolder>

/** Which folders: the filters lists and counts share. */
const filters = {
  name: Optional(Type.String({ description: 'Part of the name, in any case.' })),
}

export const CountFolders = Query(filters)
export type FolderFilters = Static<typeof CountFolders>

export const ListFolders = Query({ ...Page('source'), ...filters })
export type ListFolders = Static<typeof ListFolders>

export const RetrieveMetadata = Query({
  include_detailed_per_source_metadata: Optional(Type.Boolean({ description: 'Each folder and file besides.' })),
})

const Bytes = Type.Integer({ description: 'In bytes.' })

/** How much the folders hold. */
export const FolderMetadata = Type.Object(
  {
    total_sources: Type.Integer(),
    total_files: Type.Integer(),
    total_size: Bytes,
    sources: Type.Array(
      Type.Object({
        source_id: Id('source'),
        source_name: Type.String(),
        file_count: Type.Integer(),
        total_size: Bytes,
        files: Type.Array(Type.Object({ file_id: Id('file'), file_name: Type.String(), file_size: Optional(Bytes) })),
      }),
      { description: 'Empty unless asked for.' },
    ),
  },
  { additionalProperties: false },
)
export type FolderMetadata = Static<typeof FolderMetadata>

export const FolderNameParams = Params({ name: Type.String() })
