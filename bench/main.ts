import { writeFileSync } from 'node:fs'
import { runBenchmark } from './benchmark.ts'
import { runContext } from './context.ts'
import { CONTEXT, RUNS, readOptions, SOAK, TOOLS } from './options.ts'
import { createProgress } from './progress.ts'
import { describe } from './report.ts'
import { toJson } from './report-json.ts'
import { runRuns } from './runs.ts'
import { runSoak } from './soak.ts'
import { measureTools } from './tools.ts'

const options = readOptions(process.argv)
const cleanup = new AsyncDisposableStack()
const progress = createProgress()
const interrupted = Promise.withResolvers<undefined>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => interrupted.resolve(undefined))

/** Runs what the options ask for, prints the figures, and returns them as JSON text. */
async function run(): Promise<string> {
  if (options.only === SOAK) return `${JSON.stringify(await runSoak(options, cleanup, progress), null, 2)}\n`
  if (options.only === CONTEXT) return `${JSON.stringify(await runContext(cleanup, progress), null, 2)}\n`
  if (options.only === RUNS) return `${JSON.stringify(await runRuns(options, cleanup, progress), null, 2)}\n`
  if (options.only === TOOLS) return `${JSON.stringify(await measureTools(options.seconds), null, 2)}\n`
  const report = await runBenchmark(options, cleanup, progress)
  progress.done()
  console.log(describe(report))
  return toJson(report)
}

let json: string | undefined
try {
  json = await Promise.race([run(), interrupted.promise])
} finally {
  progress.done()
  await cleanup.disposeAsync()
}
if (json && options.json) writeFileSync(options.json, json)
// An interrupted run goes on in this process, with its data removed.
process.exit(json ? 0 : 130)
