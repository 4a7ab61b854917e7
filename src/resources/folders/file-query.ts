import { type Static, Type } from 'typebox'
import { Closed, OneOf, Page, Query } from '../../lib/wire.ts'

const { Optional } = Type

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

/** The form of an upload. It is not validated against this schema, but read as it arrives. */
export const UploadForm = Closed({ file: Type.String({ format: 'binary', description: 'The file, with its name.' }) })

export const ListFilePassages = Query({
  ...Page('passage'),
  include: Optional(Type.Array(OneOf(['passage.embedding']), { description: 'Further fields of each item.' })),
})
export type ListFilePassages = Static<typeof ListFilePassages>
