import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import { Id, Instant, OneOf, Shape } from '../../lib/wire.ts'
import { files } from './schema.ts'

const { Optional } = Type

const shape = {
  id: Id('file'),
  source_id: Id('source'),
  file_name: Type.String({ description: 'Its name in the folder.' }),
  original_file_name: Optional(Type.String({ description: 'The name it was uploaded under.' })),
  file_path: Optional(Type.String()),
  file_type: Optional(Type.String({ description: 'Its media type.' })),
  file_size: Optional(Type.Integer({ description: 'In bytes.' })),
  file_creation_date: Optional(Type.String()),
  file_last_modified_date: Optional(Type.String()),
  processing_status: OneOf(['pending', 'parsing', 'embedding', 'completed', 'error'], {
    description: 'How far it is: its text is there from `embedding` on, all of its passages with `completed`.',
  }),
  error_message: Optional(Type.String({ description: 'Why it could not be read or embedded.' })),
  total_chunks: Optional(Type.Integer({ description: 'How many passages it is cut into.' })),
  chunks_embedded: Optional(Type.Integer({ description: 'How many of them are there.' })),
  content: Optional(Type.String({ description: 'Its text. Only there with include_content=true.' })),
  organization_id: Id('org'),
  created_at: Instant(),
  updated_at: Instant(),
}

/** A file of a folder. */
export const FolderFile = Shape('File', shape)
export type FolderFile = Static<typeof FolderFile>

/** The stored name begins with the folder's name, as agents see it. */
const definition = {
  table: 'files',
  prefix: 'file',
  order: 'desc',
  unlogged: files.unlogged!,
  computed: { file_name: `regexp_replace("files"."file_name", '^.*/', '')` },
} as const

/** Files without their texts. */
export const folderFiles = defineResource<FolderFile>()(FolderFile, {
  ...definition,
  computed: { ...definition.computed, content: undefined },
})

/** Files with their texts. */
export const folderFilesWithContent = defineResource<FolderFile>()(FolderFile, definition)
