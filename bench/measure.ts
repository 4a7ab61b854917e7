import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import type { CapturedOperation } from './data/fill.ts'
import { CONNECTIONS, createLoad } from './load/load.ts'
import type { Operation } from './operations/operations.ts'
import type { Child } from './processes/child.ts'
import type { DriverFigures, DriverRequest } from './processes/driver.ts'
import type { Server } from './processes/server.ts'

/** V8 has optimized the code of an operation after some ten thousand requests. */
const WARM_UP_SECONDS = 5
/** Noise comes in spells: server, driver and bare HTTP are measured in turns, and the medians count. */
const ROUNDS = 3
/** Two compared operations have shorter turns, so that a spell of noise affects both. */
const PAIR_ROUNDS = 9

const SUBJECTS = ['server', 'driver', 'http'] as const
type Subject = (typeof SUBJECTS)[number]

/** The figures of one operation, under the names of the JSON file. */
export interface Figures {
  name: string
  rps: number
  p50_ms: number
  p99_ms: number
  driver_rps: number
  driver_p50_ms: number
  http_rps: number
  limit_rps: number
  ratio: number
}

export interface Bench {
  server: Server
  driver: Child<DriverRequest, DriverFigures>
  http: Child<string, number>
  key: string
  seconds: number
  /** Reports the work that begins, and its length in seconds. */
  onWork(text: string, seconds: number): void
}

/** The measurements of one operation so far. */
interface Samples {
  operation: CapturedOperation
  latencies: RecordableHistogram
  driverP50: number[]
  rps: Record<Subject, number[]>
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

/** The duration of `measureOperations` and of `pairs` calls of `measureRatio`, in seconds. */
export const totalSeconds = (operations: number, pairs: number, seconds: number): number =>
  operations * SUBJECTS.length * (WARM_UP_SECONDS + seconds) + pairs * 2 * (WARM_UP_SECONDS + ROUNDS * seconds)

/** The functions that measure one operation on the server, the bare driver and bare HTTP, in requests per second. */
function createMeasures({ server, driver, http, key }: Bench) {
  const load = createLoad(key)
  return {
    server: ({ operation, latencies }: Samples, seconds: number, warmUp: boolean) =>
      load(operation, { origin: server.origin, seconds, latencies: warmUp ? undefined : latencies }),
    async driver({ operation, driverP50 }: Samples, seconds: number, warmUp: boolean) {
      const { plan, createdIds, blockIds } = operation
      const { rps, p50Ms } = await driver.call({
        run: { plan, createdIds, blockIds, connections: CONNECTIONS, seconds },
      })
      if (!warmUp) driverP50.push(p50Ms)
      return rps
    },
    http: async ({ operation }: Samples, seconds: number) =>
      load(operation, { origin: `http://127.0.0.1:${await http.call(operation.body)}`, seconds }),
  }
}

function figuresOf({ operation, latencies, driverP50, rps }: Samples): Figures {
  const [server, driver, http] = [median(rps.server), median(rps.driver), median(rps.http)]
  const limit = 1 / (1 / driver + 1 / http)
  return {
    name: operation.name,
    rps: server,
    p50_ms: latencies.percentile(50) / 1000,
    p99_ms: latencies.percentile(99) / 1000,
    driver_rps: driver,
    driver_p50_ms: median(driverP50),
    http_rps: http,
    limit_rps: limit,
    ratio: server / limit,
  }
}

/** Measures each operation on the server and against its two limits, after a warm-up of all of them. */
export async function measureOperations(bench: Bench, operations: readonly CapturedOperation[]): Promise<Figures[]> {
  const measures = createMeasures(bench)
  const samples = operations.map(
    (operation): Samples => ({
      operation,
      latencies: createHistogram(),
      driverP50: [],
      rps: { server: [], driver: [], http: [] },
    }),
  )
  for (let round = 0; round <= ROUNDS; round++) {
    const warmUp = round === 0
    const seconds = warmUp ? WARM_UP_SECONDS : bench.seconds / ROUNDS
    const title = warmUp ? 'warm-up' : `round ${round} of ${ROUNDS}`
    for (const sample of samples) {
      for (const subject of SUBJECTS) {
        bench.onWork(`${title}: ${sample.operation.name}, ${subject}`, seconds)
        const rps = await measures[subject](sample, seconds, warmUp)
        if (!warmUp) sample.rps[subject].push(rps)
      }
    }
  }
  return samples.map(figuresOf)
}

/** The cost of the first operation relative to the second, by requests per second in turns: the median of the rounds. */
export async function measureRatio(bench: Bench, pair: readonly [Operation, Operation]): Promise<number> {
  const load = createLoad(bench.key)
  const ratios: number[] = []
  for (let round = 0; round <= PAIR_ROUNDS; round++) {
    const seconds = round === 0 ? WARM_UP_SECONDS : (bench.seconds * ROUNDS) / PAIR_ROUNDS
    const rates: number[] = []
    for (const operation of pair) {
      bench.onWork(operation.name, seconds)
      rates.push(await load(operation, { origin: bench.server.origin, seconds }))
    }
    if (round > 0) ratios.push(rates[1]! / rates[0]!)
  }
  return median(ratios)
}
