import { EventEmitter } from 'node:events'

/** Types of messages that the server responds to at once: a simple query, and the end of an extended query. */
const RESPONDED = new Set([...'QS'].map((type) => type.charCodeAt(0)))

const TERMINATE = 'X'.charCodeAt(0)

/** Joins byte arrays into one with memory of its own, which can be transferred to another thread. */
function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/**
 * The embedded database as the socket of a `pg` client. `exec` runs messages of PostgreSQL's protocol and resolves to the
 * response messages. The messages of one statement (Bind, Describe, Execute, Sync: PostgreSQL documentation, "Message Flow")
 * are sent together: each call into the database costs as much as a small statement.
 */
export function createSocket(
  exec: (messages: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>,
): EventEmitter {
  const socket = new EventEmitter()
  let buffered: Uint8Array[] = []
  let started = false
  let last = Promise.resolve()

  function flush(): void {
    const messages = concat(buffered)
    buffered = []
    last = exec(messages)
      .then(({ buffer }) => {
        socket.emit('data', Buffer.from(buffer))
      })
      .catch((error) => {
        socket.emit('error', error)
      })
  }

  const end = () => void last.then(() => socket.emit('close'))
  return Object.assign(socket, {
    writable: true,
    connect: () => setImmediate(() => socket.emit('connect')),
    write(message: Uint8Array) {
      if (message[0] === TERMINATE) return end()
      buffered.push(message)
      // The first message is the startup packet, which has no type.
      if (!started || RESPONDED.has(message[0]!)) flush()
      started = true
    },
    end,
    destroy: end,
    cork() {},
    uncork() {},
    setNoDelay() {},
    setKeepAlive() {},
    ref() {},
    unref() {},
  })
}
