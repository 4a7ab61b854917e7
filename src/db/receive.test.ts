import { EventEmitter } from 'node:events'
import pg, { type Client } from 'pg'
import { expect, inject, test } from 'vitest'
import { createReceivingSocket, inMessages, type Raw, receiveBytes } from './receive.ts'

/** A message of PostgreSQL's protocol. */
function message(code: string, body: Buffer | string): Buffer {
  const head = Buffer.alloc(5)
  head.write(code)
  head.writeUInt32BE(4 + Buffer.byteLength(body), 1)
  return Buffer.concat([head, Buffer.from(body)])
}

const short = ['', 'x', '1234', '12345', 'é'].map((body) => message('D', body))
const long = [70_000, 3, 600_000].map((length) => message('D', Buffer.alloc(length, 'long')))

/** What is given on of these messages when they come in pieces that end at these places. */
function received(messages: readonly Buffer[], ends: readonly number[]): Buffer[] {
  const all = Buffer.concat(messages)
  const given: Buffer[] = []
  const receive = inMessages((whole) => given.push(Buffer.from(whole)))
  let start = 0
  for (const end of [...ends, all.length]) {
    const piece = Buffer.from(all.subarray(start, end))
    receive(piece)
    // Its memory is another piece's from here on.
    piece.fill(0)
    start = end
  }
  return given
}

test('messages are given on whole and in their order, wherever the pieces they come in end', () => {
  const all = Buffer.concat(short)
  for (let first = 0; first <= all.length; first++) {
    for (let second = first; second <= all.length; second++) {
      const given = received(short, [first, second])
      expect(Buffer.concat(given).equals(all)).toBe(true)
      const left = [...short]
      for (const some of given) {
        let length = 0
        while (length < some.length) length += left.shift()!.length
        expect(length).toBe(some.length)
      }
      expect(left).toEqual([])
    }
  }
})

test('messages longer than many pieces are put together', () => {
  const messages = [...short, ...long, ...short, ...long]
  const all = Buffer.concat(messages)
  for (const length of [1 << 16, 1 << 18, 99_991]) {
    const ends = Array.from({ length: Math.floor(all.length / length) }, (_, n) => (n + 1) * length)
    expect(Buffer.concat(received(messages, ends)).equals(all)).toBe(true)
  }
})

test('what a message of the log-in holds stays when its bytes have become others’', () => {
  const connection = new EventEmitter() as EventEmitter & { attachListeners(stream: EventEmitter): void }
  receiveBytes({ connection } as unknown as Client, pg.types.builtins.VARCHAR)
  const stream = new EventEmitter()
  connection.attachListeners(stream)
  let salt: Buffer | undefined
  connection.on('authenticationMD5Password', (asked: { salt: Buffer }) => {
    salt = asked.salt
  })
  const bytes = message('R', Buffer.from([0, 0, 0, 5, 1, 2, 3, 4]))
  stream.emit('data', bytes)
  bytes.fill(0)
  expect([...salt!]).toEqual([1, 2, 3, 4])
})

const url = inject('template').server?.url

// The embedded database has one connection, and pieces of its own.
test.skipIf(!url)('what several connections receive at once is each one’s own, value by value', async () => {
  class Receiving extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config)
      receiveBytes(this, pg.types.builtins.VARCHAR)
    }
  }
  const types: pg.CustomTypesConfig = {
    getTypeParser: (oid) =>
      oid === pg.types.builtins.VARCHAR
        ? ({ bytes, from, to }: Raw) => bytes.toString('utf8', from, to)
        : pg.types.getTypeParser(oid as number),
  }
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    stream: createReceivingSocket,
    Client: Receiving as never,
    types,
  })
  try {
    const ask = async (seed: number) => {
      const { rows } = await pool.query(
        `select n, nullif(repeat($1 || 'é' || n, n * n), '')::varchar as raw, case n % 3 when 0 then null else $1 || n end as text
          from generate_series(0, 300) as n`,
        [`${seed}:`],
      )
      expect(rows).toEqual(
        Array.from({ length: 301 }, (_, n) => ({
          n,
          raw: n === 0 ? null : `${seed}:é${n}`.repeat(n * n),
          text: n % 3 === 0 ? null : `${seed}:${n}`,
        })),
      )
    }
    await Promise.all(Array.from({ length: 12 }, (_, seed) => ask(seed)))
  } finally {
    await pool.end()
  }
})
