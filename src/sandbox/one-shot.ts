import { randomUUID } from 'node:crypto'
import type { Duplex, Readable } from 'node:stream'
import { capture, readLines } from './capture.ts'
import { SandboxError, type SandboxLimits } from './sandbox.ts'
import { type Command, closeOf, killGroup, spawnProgram } from './spawn.ts'
import { watchMemory } from './watch-memory.ts'

/** How a job ended. The shape of a result is unchecked. */
export type Outcome = { end: 'result'; result: unknown } | { end: 'exit' | 'time' | 'memory' | 'flood' | 'forged' }

export type JobEnd = Outcome & { stdout: string; stderr: string }

/** A started process, which serves one job. */
export interface OneShot {
  /** Resolves once the process awaits its job. Rejects with a SandboxError. */
  ready: Promise<void>
  isAlive(): boolean
  /** Runs the job, and ends the process with all of its children. Rejects with the reason of `signal`. */
  run(job: object, limits: SandboxLimits, signal?: AbortSignal): Promise<JobEnd>
  /** Ends the process, and resolves once it is gone. */
  kill(): Promise<void>
}

/** The longest start of a program. */
const START_MS = 20_000

/** The outcome in the line of a harness: a result begins with the nonce of its job. */
export function parseResult(line: string, nonce: string): Outcome {
  try {
    if (line.startsWith(nonce)) return { end: 'result', result: JSON.parse(line.slice(nonce.length)) }
  } catch {
    // It is no JSON.
  }
  return { end: 'forged' }
}

const endOf = (stream: Readable) => new Promise<void>((resolve) => stream.once('end', () => resolve()))

/** Starts a program that serves one job: it writes `ready` to descriptor 3, reads the job there, and writes its result there. */
export function startOneShot(command: Command): OneShot {
  const child = spawnProgram(command, 'channel')
  // Node makes each `pipe` of a socket pair: descriptor 3 is read and written.
  const [out, err, channel] = child.stdio.slice(1, 4) as [Readable, Readable, Duplex]
  const ready = Promise.withResolvers<void>()
  const outcome = Promise.withResolvers<Outcome>()
  const nonce = randomUUID()
  let isReady = false
  const flood = () => outcome.resolve({ end: 'flood' })
  const [stdout, stderr] = [capture(out, flood), capture(err, flood)]
  const written = Promise.all([endOf(out), endOf(err)])
  const readLine = (line: string) => {
    if (isReady) return outcome.resolve(parseResult(line, nonce))
    isReady = line === 'ready'
    if (isReady) ready.resolve()
    else kill()
  }
  for (const stream of [out, err, channel]) stream.on('error', () => {})
  readLines(channel, readLine, flood)
  const startTimer = setTimeout(() => kill(), START_MS)
  ready.promise.catch(() => {}).finally(() => clearTimeout(startTimer))
  const closed = closeOf(child).then(() => {
    outcome.resolve({ end: 'exit' })
    ready.reject(new SandboxError(`The sandbox did not start: ${stderr().trim() || 'it ended at once'}`))
  })
  child.once('error', ({ message }) => ready.reject(new SandboxError(`The sandbox did not start: ${message}`)))
  const kill = () => {
    killGroup(child)
    // A sandbox that has left the group and is not yet bound to its parent misses the signal: it ends without its channel.
    channel.destroy()
    return closed
  }
  return {
    ready: ready.promise,
    isAlive: () => child.pid !== undefined && child.exitCode === null && child.signalCode === null,
    kill,
    async run(job, limits, signal) {
      const cancelled = Promise.withResolvers<never>()
      const cancel = () => cancelled.reject(signal!.reason)
      const timer = setTimeout(() => outcome.resolve({ end: 'time' }), limits.timeMs)
      const stopWatching = watchMemory(child.pid!, limits.memory, () => outcome.resolve({ end: 'memory' }))
      signal?.addEventListener('abort', cancel, { once: true })
      if (signal?.aborted) cancel()
      try {
        channel.write(`${JSON.stringify({ ...job, nonce })}\n`)
        const end = await Promise.race([outcome.promise, cancelled.promise])
        // A child of the program may hold its output open until it is ended, too.
        await Promise.race([kill(), written])
        return { ...end, stdout: stdout(), stderr: stderr() }
      } finally {
        clearTimeout(timer)
        stopWatching()
        signal?.removeEventListener('abort', cancel)
        void kill()
      }
    },
  }
}
