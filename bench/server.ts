import { spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { end } from './child.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const START_SECONDS = 60

export interface Server {
  origin: string
  /** From the start of the process to the end of the first answer. */
  startMs: number
  /** The most memory the process has held so far, in MB; null where the system doesn't tell. */
  peakMemory(): number | null
  stop(): Promise<void>
}

/** What `npm start` gives to node. */
function startArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return scripts.start.split(' ').slice(1)
}

/**
 * Starts the server as its users do, in a process of its own that `cleanup` ends, its log in a file, and asks it one
 * question. Throws with the log when it ends instead.
 */
export async function startServer(
  settings: Record<string, string>,
  key: string,
  logFile: string,
  cleanup: AsyncDisposableStack,
): Promise<Server> {
  const log = openSync(logFile, 'w')
  const start = performance.now()
  const child = spawn(process.execPath, startArguments(), {
    cwd: ROOT,
    env: { ...process.env, HOST: '127.0.0.1', PORT: '0', CAIRN_API_KEY: key, ...settings },
    stdio: ['ignore', log, log],
  })
  cleanup.defer(() => end(child))
  let origin: string | undefined
  while (!origin) {
    origin = /^Cairn +(http:\S+)$/m.exec(readFileSync(logFile, 'utf8'))?.[1]
    const ended = child.exitCode !== null || child.signalCode !== null
    if (ended || performance.now() - start > START_SECONDS * 1000) {
      throw new Error(`The server did not start:\n${readFileSync(logFile, 'utf8')}`)
    }
    if (!origin) await sleep(2)
  }
  const reply = await fetch(`${origin}/v1/agents/?limit=1`, { headers: { authorization: `Bearer ${key}` } })
  await reply.arrayBuffer()
  const startMs = performance.now() - start
  if (!reply.ok) throw new Error(`The server's first answer was ${reply.status}.`)
  return {
    origin,
    startMs,
    peakMemory() {
      if (process.platform !== 'linux') return null
      const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
      return Number(kilobytes) / 1024
    },
    stop: () => end(child),
  }
}
