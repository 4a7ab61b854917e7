import multipart from '@fastify/multipart'
import type { Config } from '../../config.ts'
import { MEDIA_TYPE } from '../../http/form.ts'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import { formUnchecked, receive, refusing } from '../../http/upload.ts'
import { Ref } from '../../lib/wire.ts'
import { newFile } from './file-names.ts'
import { UploadForm, UploadQuery } from './file-query.ts'
import { FolderFile } from './file-schema.ts'
import type { FolderForm } from './routes.ts'
import { storeUpload } from './upload.ts'

const description =
  'It is read, cut into passages and embedded in the background: `processing_status` reports the progress. With ' +
  '`duplicate_handling=skip`, an answer with the header `X-Upload-Result: skipped` is the file that was there.'

/** Uploads of files to folders. A file has `uploadLimit` bytes at most. */
export const uploadRoutes =
  ({ noun, path, params, idIn, operation }: FolderForm, { uploadLimit }: Pick<Config, 'uploadLimit'>) =>
  async (app: App) => {
    await app.register(multipart)

    app.post(
      `${path}/upload`,
      prepared({
        ...formUnchecked(app),
        ...operation(
          `upload_file_to_${noun}`,
          'Upload a file to a folder',
          {
            description,
            consumes: [MEDIA_TYPE],
            params,
            querystring: UploadQuery,
            body: UploadForm,
            response: { 200: Ref(FolderFile) },
          },
          { tag: 'files' },
        ),
        prepare: (request, reply) =>
          refusing(request, reply, async () => {
            await request.scope.exists('folders', idIn(request.params))
            return receive(request, reply, uploadLimit, (head) => newFile(head, request.query.name))
          }),
        async handle({ scope, params, query }, received, reply) {
          const { file, skipped } = await storeUpload(scope, idIn(params), received, query)
          if (skipped) reply.header('x-upload-result', 'skipped')
          return file
        },
      }),
    )
  }
