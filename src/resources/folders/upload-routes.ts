import type { FastifyReply, FastifyRequest } from 'fastify'
import { beforeUpload, receive, type Upload } from '../../http/upload.ts'
import { type NewFile, newFile } from './file-names.ts'
import type { UploadQuery } from './file-schema.ts'
import { storeUpload } from './upload.ts'

/** The `preHandler` of an upload: the bytes come in outside of any transaction, for a folder that is there. */
export const receiveFile = (
  request: FastifyRequest,
  reply: FastifyReply,
  folderId: string,
  { name }: UploadQuery,
  limit: number,
): Promise<void> =>
  beforeUpload(request, reply, async () => {
    await request.scope.exists('folders', folderId)
    request.upload = await receive(request, reply, limit, (head) => newFile(head, name))
  })

/** The handler of an upload: what has come in is stored. */
export async function upload(request: FastifyRequest, reply: FastifyReply, folderId: string, query: UploadQuery) {
  const { file, skipped } = await storeUpload(request.scope, folderId, request.upload!, query)
  if (skipped) reply.header('x-upload-result', 'skipped')
  return file
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The file that came with the request, on a route that takes one. */
    upload?: Upload<NewFile>
  }
}
