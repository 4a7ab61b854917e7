import { connect } from 'node:net'

export interface Request {
  method: string
  path: string
  headers: Record<string, string>
  body?: string | undefined
}

/** A request as it is sent (HTTP/1.1). */
export function encodeRequest({ host }: URL, { method, path, headers, body }: Request): Buffer {
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const lines = Object.entries({ host, ...headers, ...length }).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`)
}

/** What every connection reads to. */
const received = Buffer.allocUnsafeSlow(1 << 18)
const NOTHING = Buffer.alloc(0)
const HEAD_END = '\r\n\r\n'

export interface Asking {
  origin: URL
  next(): Buffer
  onAnswer(status: number, milliseconds: number): void
  onError(error: Error): void
}

/**
 * Sends requests by a connection of its own, each as soon as the one before is answered, until the function it gives is
 * called. Of an answer it reads the head alone: it shares the cores with what it measures, and the libraries that there are
 * take as much of them to read a page of megabytes as the server does to send it.
 */
export function keepAsking({ origin, next, onAnswer, onError }: Asking): () => void {
  let open = true
  let asked = 0
  /** What has come of a head. */
  let begun = NOTHING
  let status = 0
  /** How much of a body is still to come, in bytes. */
  let left = 0

  const ask = () => {
    asked = performance.now()
    socket.write(next())
  }
  const fail = (error: Error) => {
    if (open) onError(error)
  }
  function read(bytes: Buffer): void {
    let body = bytes.length
    if (left === 0) {
      const end = bytes.indexOf(HEAD_END)
      if (end < 0) {
        begun = Buffer.from(bytes)
        return
      }
      begun = NOTHING
      const head = bytes.toString('latin1', 0, end)
      status = Number(head.split(' ', 2)[1])
      left = Number(/^content-length: (\d+)/im.exec(head)?.[1])
      if (Number.isNaN(left)) {
        fail(new Error(`An answer doesn't tell its length:\n${head}`))
        return
      }
      body -= end + HEAD_END.length
    }
    left -= body
    if (left > 0) return
    onAnswer(status, performance.now() - asked)
    ask()
  }

  const socket = connect({
    host: origin.hostname,
    port: Number(origin.port),
    onread: {
      buffer: received,
      callback(length) {
        const bytes = received.subarray(0, length)
        if (open) read(begun.length > 0 ? Buffer.concat([begun, bytes]) : bytes)
        return true
      },
    },
  })
  socket.once('connect', ask)
  socket.on('error', fail)
  socket.once('close', () => fail(new Error('The connection was closed.')))
  return () => {
    open = false
    socket.destroy()
  }
}
