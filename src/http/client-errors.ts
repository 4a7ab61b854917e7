import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError, problem } from '../lib/errors.ts'

/** Errors of requests that aren't valid HTTP, by the parser's code. */
const UNREADABLE: Record<string, ApiError> = {
  HPE_HEADER_OVERFLOW: new ApiError('headers_too_large', 'The request line and headers are too large.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: new ApiError('payload_too_large', 'The extensions of the chunks are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError('request_timeout', 'The request took too long to arrive.'),
}

/** Responds to a connection that sends invalid HTTP, and closes it: there is no request to respond to yet. */
export function handleClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const id = randomUUID()
  const response = UNREADABLE[error.code ?? ''] ?? new ApiError('bad_request', 'The request is not valid HTTP.')
  const body = JSON.stringify(problem(response, id))
  socket.write(
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}\r\nContent-Type: application/problem+json\r\n` +
      `X-Request-Id: ${id}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
  // After end(), the socket would stay open until the caller closes its half.
  socket.destroySoon()
}
