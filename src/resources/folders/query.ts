import { type Static, Type } from 'typebox'
import { Closed, Id, Name, Page, Params, Query } from '../../lib/wire.ts'

const { Optional } = Type

/** The filters of lists and counts. */
const filters = {
  name: Optional(Name({ description: 'Part of the name, in any case.' })),
}

export const CountFolders = Query(filters)
export type FolderFilters = Static<typeof CountFolders>

export const ListFolders = Query({ ...Page('source'), ...filters })
export type ListFolders = Static<typeof ListFolders>

export const RetrieveMetadata = Query({
  include_detailed_per_source_metadata: Optional(Type.Boolean({ description: 'Each folder and file besides.' })),
})

const Bytes = Type.Integer({ description: 'In bytes.' })

/** The numbers and sizes of folders and files. */
export const FolderMetadata = Closed({
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
})
export type FolderMetadata = Static<typeof FolderMetadata>

export const FolderNameParams = Params({ name: Type.String() })
