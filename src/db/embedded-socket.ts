import { EventEmitter } from 'node:events'
import type { PGlite } from '@electric-sql/pglite'

/** Messages the server answers at once: a simple query and the end of an extended one. */
const ANSWERED = new Set([...'QS'].map((code) => code.charCodeAt(0)))

const TERMINATE = 'X'.charCodeAt(0)

/**
 * The embedded database as the socket of a `pg` client. A statement's messages (Bind, Describe, Execute, Sync: PostgreSQL
 * documentation, "Message Flow") go to it together: each way into the WASM module and back costs as much as a small
 * statement.
 */
export function createSocket(lite: PGlite): EventEmitter {
  const socket = new EventEmitter()
  let held: Uint8Array[] = []
  let started = false
  let last = Promise.resolve()

  function send(): void {
    const message = held.length === 1 ? held[0]! : Buffer.concat(held)
    held = []
    last = last
      .then(() => lite.execProtocolRaw(message))
      .then(({ buffer, byteOffset, length }) => {
        socket.emit('data', Buffer.from(buffer as ArrayBuffer, byteOffset, length))
      })
      .catch((error) => {
        socket.emit('error', error)
      })
  }

  const end = () => void last.then(() => socket.emit('close'))
  return Object.assign(socket, {
    writable: true,
    connect: () => void lite.waitReady.then(() => socket.emit('connect')),
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
