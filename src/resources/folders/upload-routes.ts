import type { FastifyRequest } from 'fastify'
import type { Scope } from '../../db/scope.ts'
import type { ReplyHead } from '../../http/form.ts'
import { receive, refusing, type Upload } from '../../http/upload.ts'
import { type NewFile, newFile } from './file-names.ts'
import type { UploadQuery } from './file-schema.ts'
import { storeUpload } from './upload.ts'

/** The first phase of an upload: receives the bytes, for a folder that exists. 404, 413, 415, 422. */
export const receiveFile = (
  request: FastifyRequest,
  reply: ReplyHead,
  folderId: string,
  { name }: UploadQuery,
  limit: number,
): Promise<Upload<NewFile>> =>
  refusing(request, reply, async () => {
    await request.scope.exists('folders', folderId)
    return receive(request, reply, limit, (head) => newFile(head, name))
  })

/** The second phase of an upload: stores the received file. The `X-Upload-Result` header reports a skipped one. */
export async function upload(
  scope: Scope,
  reply: ReplyHead,
  folderId: string,
  received: Upload<NewFile>,
  query: UploadQuery,
) {
  const { file, skipped } = await storeUpload(scope, folderId, received, query)
  if (skipped) reply.header('x-upload-result', 'skipped')
  return file
}
