import { connect } from 'node:net'

export interface Request {
  method: string
  path: string
  headers: Record<string, string>
  body?: string | undefined
}

/** The bytes of a request (HTTP/1.1). */
export function encodeRequest({ host }: URL, { method, path, headers, body }: Request): Buffer {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const lines = Object.entries({ host, ...headers, ...length }).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`)
}

const NOTHING = Buffer.alloc(0)
const HEAD_END = '\r\n\r\n'

interface Head {
  status: number
  /** The length of the body, in bytes. */
  length: number
}

function parseHead(head: string): Head {
  const length = Number(/^content-length: (\d+)/im.exec(head)?.[1])
  if (Number.isNaN(length)) throw new Error(`A response has no content-length:\n${head}`)
  return { status: Number(head.split(' ', 2)[1]), length }
}

/** Reads responses of a known length, one after the other, and passes the status of each complete one. */
function createReader(onResponse: (status: number) => void): (bytes: Buffer) => void {
  let partialHead = NOTHING
  let status = 0
  /** The missing bytes of the body. */
  let missing = 0
  return (received) => {
    const bytes = partialHead.length > 0 ? Buffer.concat([partialHead, received]) : received
    let bodyStart = 0
    if (missing === 0) {
      const end = bytes.indexOf(HEAD_END)
      if (end < 0) {
        partialHead = Buffer.from(bytes)
        return
      }
      partialHead = NOTHING
      bodyStart = end + HEAD_END.length
      const head = parseHead(bytes.toString('latin1', 0, end))
      status = head.status
      missing = head.length
    }
    missing -= bytes.length - bodyStart
    if (missing === 0) onResponse(status)
  }
}

export interface ConnectionOptions {
  origin: URL
  /** Where the socket puts received bytes; connections of one thread can share it. */
  buffer: Buffer
  nextRequest(): Buffer
  onResponse(status: number, milliseconds: number): void
  onError(error: Error): void
}

/**
 * Opens a connection and sends requests, each as soon as the previous response is complete, until the returned function
 * is called. It parses only the head of a response: the load shares the processor with the server, and an HTTP library
 * takes as long to read a page of megabytes as the server takes to send it.
 */
export function keepSending({ origin, buffer, nextRequest, onResponse, onError }: ConnectionOptions): () => void {
  let open = true
  let sentAt = 0
  const send = () => {
    sentAt = performance.now()
    socket.write(nextRequest())
  }
  const fail = (error: Error) => {
    if (open) onError(error)
  }
  const read = createReader((status) => {
    onResponse(status, performance.now() - sentAt)
    send()
  })
  const socket = connect({
    host: origin.hostname,
    port: Number(origin.port),
    onread: {
      buffer,
      callback(length) {
        if (!open) return true
        try {
          read(buffer.subarray(0, length))
        } catch (error) {
          fail(error as Error)
        }
        return true
      },
    },
  })
  socket.once('connect', send)
  socket.on('error', fail)
  socket.once('close', () => fail(new Error('The server closed the connection.')))
  return () => {
    open = false
    socket.destroy()
  }
}
