import multipart from '@fastify/multipart'
import { Type } from 'typebox'
import type { Config } from '../../config.ts'
import { MEDIA_TYPE } from '../../http/form.ts'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import { formUnchecked } from '../../http/upload.ts'
import { Id, NoContent, Params, Ref } from '../../lib/wire.ts'
import { Passage } from '../passages/schema.ts'
import {
  FolderFile,
  ListFilePassages,
  ListFiles,
  RetrieveFile,
  SourceFileParams,
  UploadForm,
  UploadQuery,
} from './file-schema.ts'
import { deleteFile, listFiles, listPassagesOfFolder, retrieveFile } from './files.ts'
import { receiveFile, upload } from './upload-routes.ts'

const tags = ['files']
const deprecated = true
const params = Params({ source_id: Id('source') })

/** Files of `/v1/sources`: of folders under their old name. No larger than `uploadLimit` bytes. */
export const sourceFileRoutes =
  ({ uploadLimit }: Pick<Config, 'uploadLimit'>) =>
  async (app: App) => {
    await app.register(multipart)

    app.post(
      '/:source_id/upload',
      prepared({
        ...formUnchecked(app),
        schema: {
          operationId: 'upload_file_to_source',
          summary: 'Upload a file to a folder (deprecated)',
          description:
            'It is read, cut into passages and embedded in the background: `processing_status` tells how far it is. With ' +
            '`duplicate_handling=skip`, an answer with the header `X-Upload-Result: skipped` is the file that was there.',
          tags,
          deprecated,
          consumes: [MEDIA_TYPE],
          params,
          querystring: UploadQuery,
          body: UploadForm,
          response: { 200: Ref(FolderFile) },
        },
        prepare: (request, reply) => receiveFile(request, reply, request.params.source_id, request.query, uploadLimit),
        handle: ({ scope, params, query }, file, reply) => upload(scope, reply, params.source_id, file, query),
      }),
    )

    app.get(
      '/:source_id/files',
      {
        schema: {
          operationId: 'list_files_of_source',
          summary: 'List the files of a folder, newest first (deprecated)',
          tags,
          deprecated,
          params,
          querystring: ListFiles,
          response: { 200: Type.Array(Ref(FolderFile)) },
        },
      },
      ({ scope, params, query }) => listFiles(scope, params.source_id, query),
    )

    app.get(
      '/:source_id/files/:file_id',
      {
        schema: {
          operationId: 'retrieve_file_of_source',
          summary: 'Retrieve a file of a folder (deprecated)',
          tags,
          deprecated,
          params: SourceFileParams,
          querystring: RetrieveFile,
          response: { 200: Ref(FolderFile) },
        },
      },
      ({ scope, params, query }) => retrieveFile(scope, params.source_id, params.file_id, query),
    )

    app.delete(
      '/:source_id/:file_id',
      {
        schema: {
          operationId: 'delete_file_of_source',
          summary: 'Delete a file of a folder, with its passages (deprecated)',
          tags,
          deprecated,
          params: SourceFileParams,
          response: { 204: NoContent },
        },
      },
      async ({ scope, params }, reply) => {
        await deleteFile(scope, params.source_id, params.file_id)
        reply.code(204)
      },
    )

    app.get(
      '/:source_id/passages',
      {
        schema: {
          operationId: 'list_passages_of_source',
          summary: 'List the passages of the files of a folder, oldest first (deprecated)',
          tags,
          deprecated,
          params,
          querystring: ListFilePassages,
          response: { 200: Type.Array(Ref(Passage)) },
        },
      },
      ({ scope, params, query }) => listPassagesOfFolder(scope, params.source_id, query),
    )
  }
