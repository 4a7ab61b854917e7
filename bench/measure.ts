import { createHistogram } from 'node:perf_hooks'
import type { Child } from './child.ts'
import type { DriverQuestion, Ran } from './driver.ts'
import { createLoad } from './load.ts'
import type { Operation } from './operations.ts'
import type { Server } from './server.ts'
import type { Measurable } from './storage.ts'

export const CONNECTIONS = 16
/** V8 has compiled for good what an operation runs after some ten thousand requests. */
const WARM_UP_SECONDS = 5
/** The figures are noisy, and noise comes in spells: the three are measured in turns, and medians are taken. */
const ROUNDS = 3
/** Of two that are compared: the shorter the turns, the likelier one spell has both. */
const SHORT_ROUNDS = 9

/** One operation's figures, under the names of the JSON file. */
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
  driver: Child<DriverQuestion, Ran>
  http: Child<string, number>
  key: string
  seconds: number
  /** Told before each piece of work how long it will take, in seconds. */
  onWork(text: string, seconds: number): void
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

/** How long `measureOperations` and, as often as `ratios` says, `measureRatio` take in all, in seconds. */
export const totalSeconds = (operations: number, ratios: number, seconds: number) =>
  operations * 3 * (WARM_UP_SECONDS + seconds) + ratios * 2 * (WARM_UP_SECONDS + ROUNDS * seconds)

/** Measures each operation on the server and against its two limits. */
export async function measureOperations(bench: Bench, operations: readonly Measurable[]): Promise<Figures[]> {
  const { server, driver, http, key } = bench
  const load = createLoad()
  const taken = operations.map((operation) => ({
    operation,
    latencies: createHistogram(),
    driverP50: [] as number[],
    rps: { server: [] as number[], driver: [] as number[], http: [] as number[] },
  }))
  const measured = bench.seconds / ROUNDS
  for (let round = 0; round <= ROUNDS; round++) {
    const warming = round === 0
    const seconds = warming ? WARM_UP_SECONDS : measured
    for (const { operation, latencies, driverP50, rps } of taken) {
      const { name, plan, made, blocks, body } = operation
      const options = { key, connections: CONNECTIONS, seconds }
      const measures = {
        server: () =>
          load(operation, { ...options, origin: server.origin, latencies: warming ? undefined : latencies }),
        driver: async () => {
          const ran = await driver.ask({ run: { plan, made, blocks, connections: CONNECTIONS, seconds } })
          if (!warming) driverP50.push(ran.p50Ms)
          return ran.rps
        },
        http: async () => load(operation, { ...options, origin: `http://127.0.0.1:${await http.ask(body)}` }),
      }
      for (const which of ['server', 'driver', 'http'] as const) {
        bench.onWork(`${warming ? 'warm-up' : `round ${round} of ${ROUNDS}`}: ${name}, ${which}`, seconds)
        const value = await measures[which]()
        if (!warming) rps[which].push(value)
      }
    }
  }
  return taken.map(({ operation, latencies, driverP50, rps }) => {
    const [own, driverRps, httpRps] = [median(rps.server), median(rps.driver), median(rps.http)]
    const limit = 1 / (1 / driverRps + 1 / httpRps)
    return {
      name: operation.name,
      rps: own,
      p50_ms: latencies.percentile(50) / 1000,
      p99_ms: latencies.percentile(99) / 1000,
      driver_rps: driverRps,
      driver_p50_ms: median(driverP50),
      http_rps: httpRps,
      limit_rps: limit,
      ratio: own / limit,
    }
  })
}

/**
 * How many times as much an operation costs as the other: how many fewer are answered in the same time. Measured in turns;
 * the median of the rounds.
 */
export async function measureRatio(bench: Bench, operation: Operation, other: Operation): Promise<number> {
  const load = createLoad()
  const { key, server } = bench
  const ratios: number[] = []
  for (let round = 0; round <= SHORT_ROUNDS; round++) {
    const seconds = round === 0 ? WARM_UP_SECONDS : (bench.seconds * ROUNDS) / SHORT_ROUNDS
    const rates: number[] = []
    for (const measured of [operation, other]) {
      bench.onWork(measured.name, seconds)
      rates.push(await load(measured, { key, connections: CONNECTIONS, origin: server.origin, seconds }))
    }
    if (round > 0) ratios.push(rates[1]! / rates[0]!)
  }
  return median(ratios)
}
