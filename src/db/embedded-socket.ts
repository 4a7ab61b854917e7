import { EventEmitter } from 'node:events'

/** Messages the server answers at once: a simple query and the end of an extended one. */
const ANSWERED = new Set([...'QS'].map((code) => code.charCodeAt(0)))

const TERMINATE = 'X'.charCodeAt(0)

/** One array of several, with nothing else in its memory: that goes over to another thread. */
function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/**
 * The embedded database as the socket of a `pg` client: `exec` gets messages of PostgreSQL's protocol and gives those that
 * answer them. A statement's messages (Bind, Describe, Execute, Sync: PostgreSQL documentation, "Message Flow") go to it
 * together: each way into the database and back costs as much as a small statement.
 */
export function createSocket(
  exec: (messages: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>,
): EventEmitter {
  const socket = new EventEmitter()
  let held: Uint8Array[] = []
  let started = false
  let last = Promise.resolve()

  function send(): void {
    const messages = joined(held)
    held = []
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
      held.push(message)
      // The first message is the startup packet, which has no code.
      if (!started || ANSWERED.has(message[0]!)) send()
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
