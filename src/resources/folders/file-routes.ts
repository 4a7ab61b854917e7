import multipart from '@fastify/multipart'
import { Type } from 'typebox'
import type { Config } from '../../config.ts'
import { MEDIA_TYPE } from '../../http/form.ts'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import { formUnchecked } from '../../http/upload.ts'
import { NoContent, Ref } from '../../lib/wire.ts'
import { Passage } from '../passages/schema.ts'
import {
  FileParams,
  FolderFile,
  ListFilePassages,
  ListFiles,
  RetrieveFile,
  UploadForm,
  UploadQuery,
} from './file-schema.ts'
import { deleteFile, listFiles, listPassagesOfFolder, retrieveFile } from './files.ts'
import { FolderParams } from './schema.ts'
import { receiveFile, upload } from './upload-routes.ts'

const tags = ['files']
const params = FolderParams

/** Files of `/v1/folders`. No larger than `uploadLimit` bytes. */
export const folderFileRoutes =
  ({ uploadLimit }: Pick<Config, 'uploadLimit'>) =>
  async (app: App) => {
    await app.register(multipart)

    app.post(
      '/:folder_id/upload',
      prepared({
        ...formUnchecked(app),
        schema: {
          operationId: 'upload_file_to_folder',
          summary: 'Upload a file to a folder',
          description:
            'It is read, cut into passages and embedded in the background: `processing_status` tells how far it is. With ' +
            '`duplicate_handling=skip`, an answer with the header `X-Upload-Result: skipped` is the file that was there.',
          tags,
          consumes: [MEDIA_TYPE],
          params,
          querystring: UploadQuery,
          body: UploadForm,
          response: { 200: Ref(FolderFile) },
        },
        prepare: (request, reply) => receiveFile(request, reply, request.params.folder_id, request.query, uploadLimit),
        handle: ({ scope, params, query }, file, reply) => upload(scope, reply, params.folder_id, file, query),
      }),
    )

    app.get(
      '/:folder_id/files',
      {
        schema: {
          operationId: 'list_files_of_folder',
          summary: 'List the files of a folder, newest first',
          tags,
          params,
          querystring: ListFiles,
          response: { 200: Type.Array(Ref(FolderFile)) },
        },
      },
      ({ scope, params, query }) => listFiles(scope, params.folder_id, query),
    )

    app.get(
      '/:folder_id/files/:file_id',
      {
        schema: {
          operationId: 'retrieve_file_of_folder',
          summary: 'Retrieve a file of a folder',
          tags,
          params: FileParams,
          querystring: RetrieveFile,
          response: { 200: Ref(FolderFile) },
        },
      },
      ({ scope, params, query }) => retrieveFile(scope, params.folder_id, params.file_id, query),
    )

    app.delete(
      '/:folder_id/:file_id',
      {
        schema: {
          operationId: 'delete_file_of_folder',
          summary: 'Delete a file of a folder, with its passages',
          tags,
          params: FileParams,
          response: { 204: NoContent },
        },
      },
      async ({ scope, params }, reply) => {
        await deleteFile(scope, params.folder_id, params.file_id)
        reply.code(204)
      },
    )

    app.get(
      '/:folder_id/passages',
      {
        schema: {
          operationId: 'list_passages_of_folder',
          summary: 'List the passages of the files of a folder, oldest first',
          tags,
          params,
          querystring: ListFilePassages,
          response: { 200: Type.Array(Ref(Passage)) },
        },
      },
      ({ scope, params, query }) => listPassagesOfFolder(scope, params.folder_id, query),
    )
  }
