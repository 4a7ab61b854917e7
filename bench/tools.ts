import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSandbox, type ServerSandbox } from '../src/sandbox/open.ts'
import { printFigures, type RunFigure } from './runs.ts'

const CODE = 'def double(number: int) -> int:\n    return number * 2'
const WARM_CALLS = 40
const COLD_CALLS = 5
/** Between two warm calls: an agent's model thinks for longer. */
const PAUSE_MS = 400
const CALLERS = 8

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const open = () =>
  createSandbox({ mode: 'auto', dataDir: join(tmpdir(), 'cairn-bench'), packageIndexes: { pip: '', npm: '' } })

/** The milliseconds of one call. */
async function call(sandbox: ServerSandbox): Promise<number> {
  const started = performance.now()
  const result = await sandbox.run({
    organizationId: 'org',
    language: 'python',
    code: CODE,
    name: 'double',
    args: { number: 21 },
    env: {},
  })
  if (result.value !== 42) throw new Error(result.text)
  return performance.now() - started
}

async function cold(): Promise<number> {
  const sandbox = open()
  await sandbox.opened()
  const milliseconds = await call(sandbox)
  await sandbox.close()
  return milliseconds
}

async function warm(sandbox: ServerSandbox): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < WARM_CALLS; n++) {
    await pause(PAUSE_MS)
    times.push(await call(sandbox))
  }
  return times
}

async function perSecond(sandbox: ServerSandbox, seconds: number): Promise<number> {
  let calls = 0
  const end = performance.now() + seconds * 1000
  const caller = async () => {
    for (; performance.now() < end; calls++) await call(sandbox)
  }
  await Promise.all(Array.from({ length: CALLERS }, caller))
  return calls / seconds
}

/** Measures calls of a tool in Python, without HTTP and a database. Prints each figure beside its limit. */
export async function measureTools(seconds: number): Promise<RunFigure[]> {
  const sandbox = open()
  const { kind, note } = await sandbox.opened()
  if (kind === 'none') throw new Error(note)
  const colds: number[] = []
  for (let n = 0; n < COLD_CALLS; n++) colds.push(await cold())
  await call(sandbox)
  const figures: RunFigure[] = [
    { name: 'call with a process that waits: median, ms', value: median(await warm(sandbox)), limit: '10' },
    { name: 'call that starts its process: median, ms', value: median(colds), limit: '300' },
    { name: `calls of ${CALLERS} callers, per second`, value: await perSecond(sandbox, seconds), limit: 'at least 50' },
  ]
  await sandbox.close()
  printFigures(figures)
  return figures
}
