import { parentPort } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { vector } from '@electric-sql/pglite-pgvector'
import { SESSION } from './session.ts'

/** The thread of an embedded database: it does what it is asked in the order it is asked. */

/** The first message. */
export interface Opening {
  module: WebAssembly.Module
  /** Absent: in memory. */
  dataDir: string | undefined
  /** What a database in memory begins with. */
  snapshot: Blob | undefined
}

/** Messages of PostgreSQL's protocol, a copy of the database as a file, or that it be closed. */
export type Question = Uint8Array<ArrayBuffer> | 'dump' | 'close'

export type Answer = { answer: Uint8Array<ArrayBuffer> | Blob | undefined } | { error: unknown }

/** An answer of usual length is taken in without making room for it. */
const ROOM = 1_048_576

/** Takes in an answer as it comes; `taken` is a copy of the whole. */
function createReceiver() {
  const usual = new Uint8Array(ROOM)
  let bytes = usual
  let length = 0
  return {
    begin(): void {
      bytes = usual
      length = 0
    },
    take(part: Uint8Array): void {
      if (length + part.length > bytes.length) {
        const longer = new Uint8Array(2 * (length + part.length))
        longer.set(bytes.subarray(0, length))
        bytes = longer
      }
      bytes.set(part, length)
      length += part.length
    },
    taken: (): Uint8Array<ArrayBuffer> => bytes.slice(0, length),
  }
}

async function open({ module, dataDir, snapshot }: Opening): Promise<PGlite> {
  const lite: PGlite = new PGlite({
    dataDir: dataDir ?? 'memory://',
    extensions: { vector, pg_trgm },
    pgliteWasmModule: module,
    ...(snapshot && { loadDataDir: snapshot }),
  })
  await lite.waitReady
  await lite.exec(
    Object.entries(SESSION)
      .map(([name, value]) => `set ${name} = ${value};`)
      .join('\n'),
  )
  return lite
}

const port = parentPort!
const receiver = createReceiver()

async function answer(lite: PGlite, question: Question): Promise<Uint8Array<ArrayBuffer> | Blob | undefined> {
  if (question === 'dump') return lite.dumpDataDir('none')
  if (question === 'close') {
    await lite.close()
    return undefined
  }
  // What is left of an answer that broke off belongs to no other.
  receiver.begin()
  // Not `execProtocolRaw`: it reads every answer as well, and keeps what it has read until the process ends.
  await lite.execProtocolRawStream(question, { onRawData: receiver.take })
  return receiver.taken()
}

/** Does `work`, and says what came of it. */
async function say(work: () => Promise<Uint8Array<ArrayBuffer> | Blob | undefined>): Promise<void> {
  try {
    const given = await work()
    port.postMessage({ answer: given } satisfies Answer, given instanceof Uint8Array ? [given.buffer] : [])
  } catch (error) {
    port.postMessage({ error } satisfies Answer)
  }
}

port.once('message', (opening: Opening) => {
  let lite: PGlite
  let last = say(async () => {
    lite = await open(opening)
    return undefined
  })
  port.on('message', (question: Question) => {
    last = last.then(() => say(() => answer(lite, question)))
  })
})
