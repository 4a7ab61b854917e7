import type { ServerResponse } from 'node:http'
import multipart from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { ApiError, invalid } from '../lib/errors.ts'
import { storageIssue } from '../lib/json.ts'
import { formName } from './letta-parameters.ts'
import { readQuery } from './query.ts'
import type { App } from './server.ts'

export const MEDIA_TYPE = 'multipart/form-data'

/** The number of parts that a form may have, more than any route has fields. */
export const MAX_PARTS = 50

/** The head of a reply, whatever the schema of its body. */
export interface ReplyHead {
  header(name: string, value: string): unknown
  raw: ServerResponse
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** 413. The connection closes with the response, since the caller is still sending. */
export function tooLarge(reply: ReplyHead, detail: string): ApiError {
  reply.header('connection', 'close')
  return new ApiError('payload_too_large', detail)
}

const sizeMessage = (request: FastifyRequest) => `The body is larger than ${request.routeOptions.bodyLimit} bytes.`

/**
 * The parts of a form as text, by name. 413 where they are larger than the body limit together. The surface for Letta
 * clients drops unknown fields.
 */
async function readParts(request: FastifyRequest, reply: ReplyHead): Promise<Record<string, string[]>> {
  const limit = request.routeOptions.bodyLimit
  if (Number(request.headers['content-length']) > limit) throw tooLarge(reply, sizeMessage(request))
  const limits = { parts: MAX_PARTS, fileSize: limit, fieldSize: limit, fieldNameSize: 200 }
  const parts: Record<string, string[]> = Object.create(null)
  let left = limit
  for await (const part of request.parts({ limits })) {
    const bytes =
      part.type === 'file'
        ? await part.toBuffer()
        : Buffer.from(typeof part.value === 'string' ? part.value : JSON.stringify(part.value))
    left -= bytes.length
    if (left < 0 || (part.type === 'field' && part.valueTruncated)) throw tooLarge(reply, sizeMessage(request))
    const name = formName(request, part.fieldname)
    if (name === undefined) continue
    let text: string
    try {
      text = utf8.decode(bytes)
    } catch {
      throw new ApiError('malformed_json', `${part.fieldname}: is not valid UTF-8.`)
    }
    const issue = part.type === 'field' && storageIssue(text)
    if (issue) throw invalid({ in: 'body', field: part.fieldname, message: issue.message })
    parts[name] = [...(parts[name] ?? []), text]
  }
  return parts
}

/** The response to an error of reading a form. `tooLong`: the message for a file beyond its limit. */
export function formError(error: unknown, reply: ReplyHead, tooLong: string): ApiError {
  if (error instanceof ApiError) return error
  const { code, statusCode } = error as { code?: string; statusCode?: number }
  if (statusCode === 413) {
    const many = code === 'FST_PARTS_LIMIT' || code === 'FST_FIELDS_LIMIT' || code === 'FST_FILES_LIMIT'
    return tooLarge(reply, many ? `The form has more than ${MAX_PARTS} parts.` : tooLong)
  }
  const detail = 'The form could not be read: it is not valid multipart/form-data.'
  return new ApiError('bad_request', detail, { cause: error })
}

/**
 * Reads forms (multipart/form-data, RFC 7578) on the routes of `app` that consume them, into the body that their schema
 * validates: every part is text, and booleans and whole numbers are parsed as in a query. 413 past the body limit,
 * 415 for another media type.
 */
export async function addForms(app: App): Promise<void> {
  await app.register(multipart)
  app.addHook('preValidation', async (request, reply) => {
    const { schema } = request.routeOptions
    if (!schema?.consumes?.includes(MEDIA_TYPE) || request.headers['content-type'] === undefined) return
    if (!request.isMultipart()) throw new ApiError('unsupported_media_type', `Send the body as ${MEDIA_TYPE}.`)
    try {
      request.body = readQuery(await readParts(request, reply), schema.body as object)
    } catch (error) {
      throw formError(error, reply, sizeMessage(request))
    }
  })
}
