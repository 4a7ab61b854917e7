import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { endProcess } from './child.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const START_SECONDS = 60

/** The memory of a process, in MB. */
export interface Memory {
  rss: number
  peakRss: number
}

export interface Server {
  origin: string
  /** From the start of the process to the end of the first response. */
  startMs: number
  /** The memory of the server process; null on systems without /proc. */
  memory(): Memory | null
  /** The CPU time of the server process in ms; NaN on systems without /proc. */
  cpuMs(): number
  stop(): Promise<void>
}

/** The arguments that `npm start` passes to node. */
function startArguments(): string[] {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8'))
  return scripts.start.split(' ').slice(1)
}

function memoryOf(pid: number): Memory | null {
  if (process.platform !== 'linux') return null
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
  return { rss: megabytes('VmRSS'), peakRss: megabytes('VmHWM') }
}

/** Linux counts hundredths of a second, in user mode and for the process in the kernel. */
function cpuMsOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 13)
  return (Number(user) + Number(system)) * 10
}

/** Waits until the server logs its address. Throws with the log when the process ends or takes too long. */
async function waitForOrigin(child: ChildProcess, logFile: string): Promise<string> {
  const until = performance.now() + START_SECONDS * 1000
  for (;;) {
    const log = readFileSync(logFile, 'utf8')
    const origin = /^Cairn +(http:\S+)$/m.exec(log)?.[1]
    if (origin) return origin
    const ended = child.exitCode !== null || child.signalCode !== null
    if (ended || performance.now() > until) throw new Error(`The server did not start:\n${log}`)
    await sleep(2)
  }
}

/**
 * Starts the server as `npm start` does, in a process of its own that `cleanup` ends, with its log in a file, and sends
 * the first request. Throws with the log when the server doesn't start.
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
  cleanup.defer(() => endProcess(child))
  const origin = await waitForOrigin(child, logFile)
  const response = await fetch(`${origin}/v1/agents/?limit=1`, { headers: { authorization: `Bearer ${key}` } })
  await response.arrayBuffer()
  if (!response.ok) throw new Error(`The server's first response has status ${response.status}.`)
  return {
    origin,
    startMs: performance.now() - start,
    memory: () => memoryOf(child.pid!),
    cpuMs: () => cpuMsOf(child.pid!),
    stop: () => endProcess(child),
  }
}
