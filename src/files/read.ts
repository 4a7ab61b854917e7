import { fork } from 'node:child_process'
import { BOUNDS, type Bounds } from './fault.ts'
import type { Kind } from './lines.ts'
import type { FileType } from './types.ts'

/** A file to read: a descriptor of its bytes, the bytes, or its text, which is split only. */
export interface ToRead {
  from: { fd: number } | { bytes: Uint8Array } | { text: string }
  type: FileType
  /** How the lines are counted. */
  kind: Kind
  /** The tokens of a chunk; absent: no chunks are made. */
  size?: number
}

/** The text of a file, its chunks, and the number of its numbered lines. */
export interface Read {
  text: string
  chunks: string[]
  lines: number
}

/** The result of reading a file, or the reason why it can't be read. */
export type Reading = Read | { fault: string }

export const TOO_MUCH_MEMORY = { fault: 'It takes more memory to read than a file may.' }

/** The first descriptor of a child process that is free. */
const FIRST_FD = 4

/**
 * Reads a file in a process of its own, within bounds of time and memory, so that no content can harm the server: V8 ends its
 * process when a single value is larger than what is left of a thread's heap. Rejects when `signal` is aborted, and for errors of
 * the server.
 */
export async function readFile(job: ToRead, signal?: AbortSignal, bounds: Bounds = BOUNDS): Promise<Reading> {
  signal?.throwIfAborted()
  const { from } = job
  // The process needs no settings and no secrets. The output of parsers is discarded.
  const child = fork(new URL('./read-process.ts', import.meta.url), {
    env: {},
    execArgv: ['--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc', ...('fd' in from ? [from.fd] : [])],
    ...(signal && { signal }),
    killSignal: 'SIGKILL',
  })
  const done = Promise.withResolvers<Reading>()
  child.once('message', (reading) => done.resolve(reading as Reading))
  child.once('error', () =>
    done.reject(signal?.reason ?? new Error('The process that reads a file cannot be started.')),
  )
  child.once('exit', (_, killedBy) =>
    killedBy === 'SIGABRT'
      ? done.resolve(TOO_MUCH_MEMORY)
      : done.reject(signal?.reason ?? new Error(`The process that reads a file ended without a result (${killedBy}).`)),
  )
  try {
    child.send({ job: 'fd' in from ? { ...job, from: { fd: FIRST_FD } } : job, bounds })
    return await done.promise
  } finally {
    child.kill('SIGKILL')
  }
}
