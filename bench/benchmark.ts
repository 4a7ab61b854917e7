import { join } from 'node:path'
import { prepare } from './data/prepare.ts'
import { type Figures, measureOperations, measureRatio, totalSeconds } from './measure.ts'
import { BATCH_SIZE } from './operations/passages.ts'
import type { Recall } from './operations/recall.ts'
import type { Options } from './options.ts'
import { startChild } from './processes/child.ts'
import type { DriverFigures, DriverRequest } from './processes/driver.ts'
import { startServer } from './processes/server.ts'
import type { Progress } from './progress.ts'
import type { PassageFigures, Report } from './report.ts'

function passageFigures(passages: number, recall: Recall, figures: readonly Figures[]): PassageFigures {
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

/** Measures the server. `cleanup` ends all processes and removes all data. */
export async function runBenchmark(
  options: Options,
  cleanup: AsyncDisposableStack,
  progress: Progress,
): Promise<Report> {
  const { only, agents, passages, seconds } = options
  const prepared = await prepare(options, cleanup, progress.show)
  const { engine, key, pairs, recall } = prepared
  const operations = prepared.operations.filter(({ name }) => name.includes(only ?? ''))

  progress.show('starting the server')
  const start = () => startServer(prepared.settings, key, join(prepared.directory, 'server.log'), cleanup)
  const cold = await start()
  await cold.stop()
  const server = await start()
  const driver = cleanup.use(startChild<DriverRequest, DriverFigures>('./driver.ts'))
  const http = cleanup.use(startChild<string, number>('./http.ts'))
  await driver.call({ open: prepared.driver })

  const total = totalSeconds(operations.length, only ? 0 : Object.keys(pairs).length, seconds)
  const onWork = (text: string, length: number) => progress.work(text, length, total)
  const bench = { server, driver, http, key, seconds, onWork }
  const figures = await measureOperations(bench, operations)
  const ratioOf = (name: keyof typeof pairs) => (only ? null : measureRatio(bench, pairs[name]))
  return {
    engine,
    agents,
    operations: figures,
    deep_ratio: await ratioOf('deep_ratio'),
    includes_ratio_200: await ratioOf('includes_ratio_200'),
    letta_ratio_50: await ratioOf('letta_ratio_50'),
    ...(recall && passageFigures(passages, recall, figures)),
    warm_start_ms: server.startMs,
    rss_mb: server.memory()?.peakRss ?? null,
  }
}
