import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startChild } from './child.ts'
import type { DriverQuestion, Ran } from './driver.ts'
import { type Figures, measureOperations, measureRatio, totalSeconds } from './measure.ts'
import { type Options, readOptions } from './options.ts'
import { BATCH_SIZE, type Recall } from './passages.ts'
import { createProgress } from './progress.ts'
import { describe, type KnowledgeFigures, type Report, toJson } from './report.ts'
import { startServer } from './server.ts'
import { prepare } from './storage.ts'

/** What was measured of passages. */
function knowledgeFigures(passages: number, recall: Recall, figures: readonly Figures[]): KnowledgeFigures {
  const search = figures.find(({ name }) => name === 'search_passages')
  const insert = figures.find(({ name }) => name === 'insert_passages')
  return {
    passages,
    ...recall,
    search_p50_ratio: search ? search.p50_ms / search.driver_p50_ms : null,
    inserted_passages_per_second: insert ? insert.rps * BATCH_SIZE : null,
    insert_ratio: insert ? insert.rps / insert.driver_rps : null,
  }
}

/** Runs the benchmark. What it starts and makes is ended and removed by `cleanup`. */
async function run(
  options: Options,
  cleanup: AsyncDisposableStack,
  progress: ReturnType<typeof createProgress>,
): Promise<Report> {
  const prepared = await prepare(options, cleanup, progress.show)
  const { engine, key, compared } = prepared
  const operations = prepared.operations.filter(({ name }) => name.includes(options.only ?? ''))

  progress.show('starting the server')
  const start = () => startServer(prepared.settings, key, join(prepared.directory, 'server.log'), cleanup)
  const cold = await start()
  await cold.stop()
  const server = await start()
  const driver = cleanup.use(startChild<DriverQuestion, Ran>('./driver.ts'))
  const http = cleanup.use(startChild<string, number>('./http.ts'))
  await driver.ask({ open: prepared.driver })

  const total = totalSeconds(operations.length, options.only ? 0 : Object.keys(compared).length, options.seconds)
  const bench = {
    server,
    driver,
    http,
    key,
    seconds: options.seconds,
    onWork: (text: string, seconds: number) => progress.work(text, seconds, total),
  }
  const figures = await measureOperations(bench, operations)
  const ratioOf = (which: keyof typeof compared) => (options.only ? null : measureRatio(bench, ...compared[which]))
  return {
    engine,
    agents: options.agents,
    operations: figures,
    deep_ratio: await ratioOf('deep_ratio'),
    includes_ratio_200: await ratioOf('includes_ratio_200'),
    letta_ratio_50: await ratioOf('letta_ratio_50'),
    ...(prepared.recall && knowledgeFigures(options.passages, prepared.recall, figures)),
    warm_start_ms: server.startMs,
    rss_mb: server.peakMemory(),
  }
}

const options = readOptions(process.argv)
const cleanup = new AsyncDisposableStack()
const progress = createProgress()
const interrupted = Promise.withResolvers<undefined>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => interrupted.resolve(undefined))

let report: Report | undefined
try {
  report = await Promise.race([run(options, cleanup, progress), interrupted.promise])
} finally {
  progress.done()
  await cleanup.disposeAsync()
}
if (report) {
  console.log(describe(report))
  if (options.json) writeFileSync(options.json, toJson(report))
}
// An interrupted run is still under way here, on what is no longer there.
process.exit(report ? 0 : 130)
