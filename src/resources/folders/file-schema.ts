import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import { Id, Instant, OneOf, Page, Query } from '../../lib/wire.ts'
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
export const FolderFile = Type.Object(shape, { $id: 'File', additionalProperties: false })
export type FolderFile = Static<typeof FolderFile>

/** Stored under the folder's name, as agents see it. */
const definition = {
  table: 'files',
  prefix: 'file',
  order: 'desc',
  unlogged: files.unlogged!,
  computed: { file_name: `regexp_replace("files"."file_name", '^.*/', '')` },
} as const

const { content: _, ...withoutContent } = shape

/** Files as they usually go out: without their texts. */
export const folderFiles = defineResource<FolderFile>()({ properties: withoutContent }, definition)

/** Files with their texts. */
export const folderFilesWithContent = defineResource<FolderFile>()(FolderFile, definition)

const IncludeContent = { include_content: Optional(Type.Boolean({ description: 'With the text of each.' })) }

export const ListFiles = Query({ ...Page('file'), ...IncludeContent })
export type ListFiles = Static<typeof ListFiles>

export const RetrieveFile = Query(IncludeContent)
export type RetrieveFile = Static<typeof RetrieveFile>

export const UploadQuery = Query({
  duplicate_handling: Optional(
    OneOf(['skip', 'error', 'suffix', 'replace'], {
      description:
        'When the folder has a file that was uploaded under the same name: answer with that one, answer 409, add a ' +
        'number to the new name, or put the new one in its place. Default suffix.',
    }),
  ),
  name: Optional(Type.String({ description: 'Another name than the one the form has.', maxLength: 1000 })),
})
export type UploadQuery = Static<typeof UploadQuery>

/** The form a file is sent in: described here, and read as it arrives. */
export const UploadForm = Type.Object(
  { file: Type.String({ format: 'binary', description: 'The file, with its name.' }) },
  { additionalProperties: false },
)

export const ListFilePassages = Query({
  ...Page('passage'),
  include: Optional(Type.Array(OneOf(['passage.embedding']), { description: 'What else to tell of each.' })),
})
export type ListFilePassages = Static<typeof ListFilePassages>
