import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import type { MultipartFile } from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify'
import { ApiError, inBody, invalid } from '../lib/errors.ts'
import { append, openTempFile } from '../lib/temp-file.ts'
import { awaitsContinue } from './expect-continue.ts'
import { formError, MAX_PARTS, MEDIA_TYPE, type ReplyHead, tooLarge } from './form.ts'
import { namesOf } from './letta.ts'

/** A received file, and the result of `accept` for it. */
export interface Upload<Accepted> {
  accepted: Accepted
  /** In bytes. */
  size: number
  /** The bytes from `position` on, `length` at most. */
  read(position: number, length: number): Promise<Buffer>
}

/** The head of a form's file, which arrives before its bytes. */
export interface Head {
  fileName: string
  mediaType: string
}

/** The size of a form without its file, at most, in bytes. */
const OVERHEAD = 64 * 1024

const missing = () => invalid(inBody('file', `is required: the file, as a part of ${MEDIA_TYPE} with a file name`))

/** Appends a file to a temporary one. 413 beyond the limit, in bytes. */
async function save(part: MultipartFile, tempFile: FileHandle, limit: number, reply: ReplyHead) {
  const hash = createHash('sha256')
  let size = 0
  for await (const bytes of part.file as AsyncIterable<Buffer>) {
    size += bytes.length
    if (size > limit) throw tooLarge(reply, `The file is larger than ${limit} bytes.`)
    hash.update(bytes)
    await append(tempFile, bytes)
  }
  return { size, sha256: hash.digest('base64url') }
}

/** Discards an unknown part. 413 beyond the limit of the form. */
async function drain(part: MultipartFile, reply: ReplyHead, tooLong: string) {
  let size = 0
  for await (const bytes of part.file as AsyncIterable<Buffer>) {
    size += bytes.length
    if (size > OVERHEAD) throw tooLarge(reply, tooLong)
  }
}

/** Reads a form to its end, and its one file into `tempFile`. The surface for Letta clients ignores other parts. */
async function readForm<Accepted>(
  request: FastifyRequest,
  reply: ReplyHead,
  tempFile: FileHandle,
  limit: number,
  accept: (head: Head) => Accepted,
) {
  let found: { accepted: Accepted; size: number; sha256: string } | undefined
  const limits = { parts: MAX_PARTS, fileSize: limit + 1, fieldSize: OVERHEAD, fieldNameSize: 200 }
  for await (const part of request.parts({ limits })) {
    if (part.fieldname === 'file') {
      if (part.type !== 'file' || !part.filename) throw missing()
      if (found) throw invalid(inBody('file', 'must be one file: send the others in requests of their own'))
      const accepted = accept({ fileName: part.filename, mediaType: part.mimetype })
      found = { accepted, ...(await save(part, tempFile, limit, reply)) }
    } else if (namesOf(request) === 'neutral') {
      throw invalid(inBody(part.fieldname, 'is not known: the one part of this form is "file"'))
    } else if (part.type === 'file') {
      await drain(part, reply, `${part.fieldname}: is larger than ${OVERHEAD} bytes, and not the part "file".`)
    }
  }
  if (!found) throw missing()
  return found
}

/**
 * Receives the file of a form (multipart/form-data), in the `prepare` of a route. The bytes go to a nameless temporary
 * file, which closes with the response. `accept` gets the head of the file before the bytes, and may throw. The request's
 * body becomes a description of the file, so that a repeated request has an equal fingerprint. 413 as soon as `limit`
 * bytes are exceeded; 415 for a media type other than a form's.
 */
export async function receive<Accepted>(
  request: FastifyRequest,
  reply: ReplyHead,
  limit: number,
  accept: (head: Head) => Accepted,
): Promise<Upload<Accepted>> {
  if (request.headers['content-type'] === undefined) throw missing()
  if (!request.isMultipart()) throw new ApiError('unsupported_media_type', `Send the body as ${MEDIA_TYPE}.`)
  const tooLong = `The file is larger than ${limit} bytes.`
  if (Number(request.headers['content-length']) > limit + OVERHEAD) throw tooLarge(reply, tooLong)
  const tempFile = await openTempFile()
  const close = () => tempFile.close().catch(() => {})
  // The caller may have left already.
  if (reply.raw.closed) close()
  else reply.raw.once('close', close)
  try {
    const { accepted, size, sha256 } = await readForm(request, reply, tempFile, limit, accept)
    request.body = { file: { ...accepted, size, sha256 } }
    return {
      accepted,
      size,
      async read(position, length) {
        const { buffer, bytesRead } = await tempFile.read(Buffer.allocUnsafe(length), 0, length, position)
        return buffer.subarray(0, bytesRead)
      },
    }
  } catch (error) {
    throw formError(error, reply, tooLong)
  }
}

/** The bounds of draining a refused upload. */
const DRAINED = { bytes: 1024 * 1024, ms: 2000 }

/** Discards the rest of a request: a caller whose connection closes while it sends doesn't see the response. */
async function drainRequest(raw: IncomingMessage): Promise<void> {
  if (raw.complete || raw.readableEnded || raw.destroyed || awaitsContinue(raw)) return
  let left = DRAINED.bytes
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(done, DRAINED.ms)
    for (const event of ['end', 'close', 'error']) raw.once(event, done)
    raw.unpipe()
    raw.on('data', (bytes: Buffer) => {
      left -= bytes.length
      if (left < 0) done()
    })
    raw.resume()
  })
}

/**
 * Runs the first phase of a route that receives a file. After an error the rest of a small file is drained, and the
 * connection closes with the response, since the caller may still be sending a large file.
 */
export async function refusing<T>({ raw }: FastifyRequest, reply: ReplyHead, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await drainRequest(raw)
    reply.header('connection', 'close')
    throw error
  }
}

/** Switches off validation of a route's form, which the schema only documents: `receive` checks the parts. */
export const formUnchecked = (app: Pick<FastifyInstance, 'validatorCompiler'>) => ({
  validatorCompiler: ((part) =>
    part.httpPart === 'body' ? () => true : app.validatorCompiler!(part)) as FastifySchemaCompiler<unknown>,
})
