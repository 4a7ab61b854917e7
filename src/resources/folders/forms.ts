import type { Resource } from '../../db/resource.ts'
import { Id, Params, Ref } from '../../lib/wire.ts'
import { Folder, folders, Source, sources } from './schema.ts'

/** One of the two forms that folders have on the wire. The routes of both forms are made from the same definition. */
export type FolderForm = ReturnType<typeof formOf>

function formOf(
  noun: 'folder' | 'source',
  shape: typeof Folder | typeof Source,
  resource: Resource<Folder, 'folders'>,
) {
  const deprecated = noun === 'source'
  const parameter = `${noun}_id` as const
  return {
    noun,
    resource,
    response: { 200: Ref(shape) },
    /** The part of a path that holds the id of a folder. */
    path: `/:${parameter}` as const,
    params: Params({ [parameter]: Id('source') }),
    fileParams: Params({ [parameter]: Id('source'), file_id: Id('file') }),
    /** The id of the folder in the parameters of a path. */
    idIn: (params: Record<string, string>) => params[parameter]!,
    /** The fields of a route's schema that say what the operation does. `note`: added to the summary of the deprecated form. */
    operation: (operationId: string, summary: string, tag: 'folders' | 'files' = 'folders', note = 'deprecated') => ({
      operationId,
      summary: deprecated ? `${summary} (${note})` : summary,
      tags: [tag],
      ...(deprecated && { deprecated }),
    }),
  }
}

/** `/v1/folders` */
export const FOLDERS = formOf('folder', Folder, folders)

/** `/v1/sources`: the deprecated form. */
export const SOURCES = formOf('source', Source, sources)
