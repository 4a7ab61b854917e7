import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { NoContent, Ref } from '../../lib/wire.ts'
import { Passage } from '../passages/schema.ts'
import { ListFilePassages, ListFiles, RetrieveFile } from './file-query.ts'
import { FolderFile } from './file-schema.ts'
import { deleteFile, listFiles, listPassagesOfFolder, retrieveFile } from './files.ts'
import type { FolderForm } from './forms.ts'

/** The files of folders, and the passages of the files. */
export const folderFileRoutes =
  ({ noun, path, params, fileParams, idIn, operation }: FolderForm) =>
  async (app: App) => {
    app.get(
      `${path}/files`,
      {
        schema: {
          ...operation(`list_files_of_${noun}`, 'List the files of a folder, newest first', 'files'),
          params,
          querystring: ListFiles,
          response: { 200: Type.Array(Ref(FolderFile)) },
        },
      },
      ({ scope, params, query }) => listFiles(scope, idIn(params), query),
    )

    app.get(
      `${path}/files/:file_id`,
      {
        schema: {
          ...operation(`retrieve_file_of_${noun}`, 'Retrieve a file of a folder', 'files'),
          params: fileParams,
          querystring: RetrieveFile,
          response: { 200: Ref(FolderFile) },
        },
      },
      ({ scope, params, query }) => retrieveFile(scope, idIn(params), params.file_id!, query),
    )

    app.delete(
      `${path}/:file_id`,
      {
        schema: {
          ...operation(`delete_file_of_${noun}`, 'Delete a file of a folder, with its passages', 'files'),
          params: fileParams,
          response: { 204: NoContent },
        },
      },
      async ({ scope, params }, reply) => {
        await deleteFile(scope, idIn(params), params.file_id!)
        reply.code(204)
      },
    )

    app.get(
      `${path}/passages`,
      {
        schema: {
          ...operation(`list_passages_of_${noun}`, 'List the passages of the files of a folder, oldest first', 'files'),
          params,
          querystring: ListFilePassages,
          response: { 200: Type.Array(Ref(Passage)) },
        },
      },
      ({ scope, params, query }) => listPassagesOfFolder(scope, idIn(params), query),
    )
  }
