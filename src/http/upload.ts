import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import type { MultipartFile } from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify'
import { ApiError, inBody, invalid } from '../lib/errors.ts'
import { append, openTempFile } from '../lib/temp-file.ts'
import { formFault, MAX_PARTS, MEDIA_TYPE, type ReplyHead, tooLarge } from './form.ts'
import { namesOf } from './letta.ts'

/** A received file, and the result of `accept` for it. */
export interface Upload<Accepted> {
  accepted: Accepted
  /** In bytes. */
  size: number
  /** The bytes from `position` on, `length` at most. */
  read(position: number, length: number): Promise<Buffer>
}

/** The head of a form's file, which comes before the bytes. */
export interface Head {
  fileName: string
  mediaType: string
}

/** Bytes of a form beside its file, at most. */
const AROUND = 64 * 1024

const missing = () => invalid(inBody('file', `is required: the file, as a part of ${MEDIA_TYPE} with a file name`))

async function save(part: MultipartFile, scratch: FileHandle, limit: number, reply: ReplyHead) {
  const hash = createHash('sha256')
  let size = 0
  for await (const bytes of part.file as AsyncIterable<Buffer>) {
    size += bytes.length
    if (size > limit) throw tooLarge(reply, `The file is larger than ${limit} bytes.`)
    hash.update(bytes)
    await append(scratch, bytes)
  }
  return { size, sha256: hash.digest('base64url') }
}

/** Discards a part that the route doesn't know. 413 beyond the bound. */
async function drain(part: MultipartFile, reply: ReplyHead, tooLong: string) {
  let size = 0
  for await (const bytes of part.file as AsyncIterable<Buffer>) {
    size += bytes.length
    if (size > AROUND) throw tooLarge(reply, tooLong)
  }
}

/** Reads the form to its end, its one file into `scratch`. On the surface for Letta clients other parts are ignored. */
async function readForm<Accepted>(
  request: FastifyRequest,
  reply: ReplyHead,
  scratch: FileHandle,
  limit: number,
  accept: (head: Head) => Accepted,
) {
  let found: { accepted: Accepted; size: number; sha256: string } | undefined
  const limits = { parts: MAX_PARTS, fileSize: limit + 1, fieldSize: AROUND, fieldNameSize: 200 }
  for await (const part of request.parts({ limits })) {
    if (part.fieldname === 'file') {
      if (part.type !== 'file' || !part.filename) throw missing()
      if (found) throw invalid(inBody('file', 'must be one file: send the others in requests of their own'))
      const accepted = accept({ fileName: part.filename, mediaType: part.mimetype })
      found = { accepted, ...(await save(part, scratch, limit, reply)) }
    } else if (namesOf(request) === 'neutral') {
      throw invalid(inBody(part.fieldname, 'is not known: the one part of this form is "file"'))
    } else if (part.type === 'file') {
      await drain(part, reply, `${part.fieldname}: is larger than ${AROUND} bytes, and not the part "file".`)
    }
  }
  if (!found) throw missing()
  return found
}

/**
 * Receives the file of a form (multipart/form-data), in the `prepare` of a route: its bytes go to a nameless file on the
 * disk, which is closed with the response. `accept` sees the head of the file before the bytes, and may refuse it. The
 * request's body becomes a description of the file, so that a repeated request is recognized. 413 for more than
 * `limit` bytes, as soon as they are there; 415 for another media type than a form's.
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
  if (Number(request.headers['content-length']) > limit + AROUND) throw tooLarge(reply, tooLong)
  const scratch = await openTempFile()
  reply.raw.once('close', () => scratch.close().catch(() => {}))
  try {
    const { accepted, size, sha256 } = await readForm(request, reply, scratch, limit, accept)
    request.body = { file: { ...accepted, size, sha256 } }
    return {
      accepted,
      size,
      async read(position, length) {
        const { buffer, bytesRead } = await scratch.read(Buffer.allocUnsafe(length), 0, length, position)
        return buffer.subarray(0, bytesRead)
      },
    }
  } catch (error) {
    throw formFault(error, reply, tooLong)
  }
}

/** How much of a refused upload is drained, in bytes, and for how long. */
const READ_ON = { bytes: 1024 * 1024, ms: 2000 }

/** Drains a request: a caller whose connection ends while it sends doesn't see the response. */
async function readOn(raw: IncomingMessage): Promise<void> {
  if (raw.complete || raw.destroyed) return
  let left = READ_ON.bytes
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(done, READ_ON.ms)
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
 * Runs the first phase of a route that receives a file. Where it throws, the rest of a small file is drained, and the
 * connection ends with the response: the caller may still be sending a large one.
 */
export async function refusing<T>({ raw }: FastifyRequest, reply: ReplyHead, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await readOn(raw)
    reply.header('connection', 'close')
    throw error
  }
}

/** Leaves the form that a route documents unvalidated: `receive` reads it, and refuses parts it doesn't know. */
export const formUnchecked = (app: Pick<FastifyInstance, 'validatorCompiler'>) => ({
  validatorCompiler: ((part) =>
    part.httpPart === 'body' ? () => true : app.validatorCompiler!(part)) as FastifySchemaCompiler<unknown>,
})
