import { Socket } from 'node:net'
import type { Client } from 'pg'
import { DataRowMessage } from 'pg-protocol/dist/messages.js'
import { Parser } from 'pg-protocol/dist/parser.js'
import { bytesOf, leaveSheet, type Sheet, takeSheet, writeBytes } from '../lib/sheet.ts'

/**
 * How the driver's clients receive. The driver's own sockets have the system's 64 KB buffers for each piece of an answer,
 * and its parser a string for each value; both are garbage at once, and the buffers, which count as external memory, have
 * V8 collect everything again and again.
 */

/** Messages of PostgreSQL's protocol by their first byte (PostgreSQL documentation, "Message Formats"). */
const AUTHENTICATION = 'R'.charCodeAt(0)
const COPY_DATA = 'd'.charCodeAt(0)
const DATA_ROW = 'D'.charCodeAt(0)
const ROW_DESCRIPTION = 'T'.charCodeAt(0)

/** A message's first byte and its length, which doesn't count that byte. */
const HEADER = 5
const lengthOf = (bytes: Buffer, at: number) => 1 + bytes.readUInt32BE(at + 1)

/** How long what has begun has to be for the next step: to tell its length, or whole. */
const wantedOf = ({ bytes, length }: Sheet) => (length < HEADER ? HEADER : lengthOf(bytes, 0))

/** What every socket reads to: what is read from one is done with before another is. */
const received = Buffer.allocUnsafeSlow(1 << 18)

/** A socket whose data is to be read at once: its bytes are others' afterwards. */
export function createReceivingSocket(): Socket {
  const socket: Socket = new Socket({
    onread: {
      buffer: received,
      callback(length) {
        socket.emit('data', received.subarray(0, length))
        return true
      },
    },
  })
  return socket
}

/** Gives on whole messages, one or several, of what comes in pieces. They are to be read at once. */
export function inMessages(read: (messages: Buffer) => void): (piece: Buffer) => void {
  let begun: Sheet | undefined
  return (piece) => {
    let at = 0
    while (begun && at < piece.length) {
      const end = Math.min(at + wantedOf(begun) - begun.length, piece.length)
      writeBytes(begun, piece, at, end)
      at = end
      if (begun.length < wantedOf(begun)) continue
      const whole = begun
      begun = undefined
      read(bytesOf(whole))
      leaveSheet(whole)
    }
    const start = at
    while (at + HEADER <= piece.length && at + lengthOf(piece, at) <= piece.length) at += lengthOf(piece, at)
    if (at > start) read(piece.subarray(start, at))
    if (at < piece.length) {
      begun = takeSheet()
      writeBytes(begun, piece, at)
    }
  }
}

interface Message {
  name: string
  /** Of a description of rows. */
  fields?: { dataTypeID: number }[]
}

/** What of the driver's parser is private in its types. */
interface Packets {
  handlePacket(at: number, code: number, length: number, bytes: Buffer): Message
}

/** A value as it was received. It is to be read at once: it is another one afterwards. */
export interface Raw {
  bytes: Buffer
  from: number
  to: number
}

/** Reads the rows of one description. Neither they nor their raw values outlive the next row. */
function rowReader(raw: readonly boolean[]) {
  const values: (Raw | undefined)[] = raw.map((is) => (is ? { bytes: received, from: 0, to: 0 } : undefined))
  const fields = new Array<Raw | string | null>(raw.length).fill(null)
  const message = new DataRowMessage(0, fields as string[])
  return (bytes: Buffer, start: number) => {
    let at = start + 2
    for (let n = 0; n < fields.length; n++) {
      const value = values[n]
      const length = bytes.readInt32BE(at)
      const from = at + 4
      at = from + Math.max(length, 0)
      if (length < 0) fields[n] = null
      else if (value) fields[n] = Object.assign(value, { bytes, from, to: at })
      else fields[n] = bytes.toString('utf8', from, at)
    }
    return message
  }
}

/** The driver's parser, but that values of the type `raw` come as bytes, to be read at once. */
function createParser(raw: number): Parser {
  const parser = new Parser()
  const packets = parser as unknown as Packets
  const handlePacket = packets.handlePacket.bind(packets)
  let readRow: ReturnType<typeof rowReader> | undefined
  packets.handlePacket = (at, code, length, bytes) => {
    if (code === DATA_ROW && readRow) return readRow(bytes, at) as unknown as Message
    // Of these the message holds bytes, and may be read later.
    if (code === AUTHENTICATION || code === COPY_DATA) {
      return handlePacket(0, code, length, Buffer.from(bytes.subarray(at)))
    }
    const message = handlePacket(at, code, length, bytes)
    if (code === ROW_DESCRIPTION) {
      const isRaw = message.fields!.map(({ dataTypeID }) => dataTypeID === raw)
      readRow = isRaw.includes(true) ? rowReader(isRaw) : undefined
    }
    return message
  }
  return parser
}

/** What of the driver's connection isn't in its types. */
interface Connection {
  attachListeners(stream: Socket): void
  emit(name: string, message: unknown): void
}

/** Has a client that isn't connected yet receive in this way, with values of the type `raw` as bytes. */
export function receiveBytes(client: Client, raw: number): void {
  const { connection } = client as unknown as { connection: Connection }
  const emit = (message: Message) => connection.emit(message.name === 'error' ? 'errorMessage' : message.name, message)
  connection.attachListeners = (stream) => {
    const parser = createParser(raw)
    stream.on(
      'data',
      inMessages((messages) => parser.parse(messages, emit)),
    )
  }
}
