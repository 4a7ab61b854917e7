import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { NoContent, Ref } from '../../lib/wire.ts'
import { Passage } from '../passages/schema.ts'
import { ListFilePassages, ListFiles, RetrieveFile } from './file-query.ts'
import { FolderFile } from './file-schema.ts'
import { deleteFile, listFiles, listPassagesOfFolder, retrieveFile } from './files.ts'
import type { FolderForm } from './routes.ts'

const tag = { tag: 'files' } as const

/** The files of folders, and the passages of the files. */
export const folderFileRoutes =
  ({ noun, path, params, fileParams, idIn, operation }: FolderForm) =>
  async (app: App) => {
    const list = { params, querystring: ListFiles, response: { 200: Type.Array(Ref(FolderFile)) } }
    app.get(
      `${path}/files`,
      operation(`list_files_of_${noun}`, 'List the files of a folder, newest first', list, tag),
      ({ scope, params, query }) => listFiles(scope, idIn(params), query),
    )

    const retrieve = { params: fileParams, querystring: RetrieveFile, response: { 200: Ref(FolderFile) } }
    app.get(
      `${path}/files/:file_id`,
      operation(`retrieve_file_of_${noun}`, 'Retrieve a file of a folder', retrieve, tag),
      ({ scope, params, query }) => retrieveFile(scope, idIn(params), params.file_id!, query),
    )

    const remove = { params: fileParams, response: { 204: NoContent } }
    app.delete(
      `${path}/:file_id`,
      operation(`delete_file_of_${noun}`, 'Delete a file of a folder, with its passages', remove, tag),
      ({ scope, params }) => deleteFile(scope, idIn(params), params.file_id!),
    )

    const passages = { params, querystring: ListFilePassages, response: { 200: Type.Array(Ref(Passage)) } }
    app.get(
      `${path}/passages`,
      operation(`list_passages_of_${noun}`, 'List the passages of the files of a folder, oldest first', passages, tag),
      ({ scope, params, query }) => listPassagesOfFolder(scope, idIn(params), query),
    )
  }
