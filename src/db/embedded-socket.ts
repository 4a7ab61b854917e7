import { EventEmitter } from 'node:events'
import type { PGlite } from '@electric-sql/pglite'

/** Messages the server answers at once: a simple query and the end of an extended one. */
const ANSWERED = new Set([...'QS'].map((code) => code.charCodeAt(0)))

const TERMINATE = 'X'.charCodeAt(0)

/** An answer of usual length is taken in without making room for it. */
const ROOM = 1_048_576

/** Takes in an answer as it comes, and gives it whole. What was given is good until the next one comes. */
function createReceiver() {
  const usual = Buffer.allocUnsafe(ROOM)
  let bytes = usual
  let length = 0
  return {
    take(part: Uint8Array): void {
      if (length + part.length > bytes.length) {
        const longer = Buffer.allocUnsafe(2 * (length + part.length))
        longer.set(bytes.subarray(0, length))
        bytes = longer
      }
      bytes.set(part, length)
      length += part.length
    },
    give(): Buffer {
      const whole = bytes.subarray(0, length)
      bytes = usual
      length = 0
      return whole
    },
  }
}

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
  const receiver = createReceiver()

  function send(): void {
    const message = held.length === 1 ? held[0]! : Buffer.concat(held)
    held = []
    last = last
      // Not `execProtocolRaw`: it reads every answer as well, and keeps what it has read until the process ends.
      .then(() => lite.execProtocolRawStream(message, { onRawData: receiver.take }))
      .then(() => {
        socket.emit('data', receiver.give())
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
