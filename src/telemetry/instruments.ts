import type { Meter } from '@opentelemetry/api'
import { ATTRIBUTES, METRICS, SECONDS, TOKENS } from './names.ts'

/** The state of a server that is looked at when metrics are read. */
export interface Gauges {
  /** The runs that this server carries out, and those that wait for their agent. */
  runs(): { running: number; waiting: number }
  /** The connections to the database, and the statements that wait for one. */
  pool(): { used: number; idle: number; pending: number }
}

/** Creates the instruments of a server. */
export function createInstruments(meter: Meter, { runs, pool }: Gauges) {
  const seconds = (name: string, description: string) =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: SECONDS } })
  meter
    .createObservableGauge(METRICS.runsActive, { description: 'Runs of this server by their state.' })
    .addCallback((result) => {
      for (const [state, count] of Object.entries(runs())) result.observe(count, { [ATTRIBUTES.runStatus]: state })
    })
  meter
    .createObservableGauge(METRICS.poolConnections, { description: 'Connections to the database by their state.' })
    .addCallback((result) => {
      const { used, idle } = pool()
      result.observe(used, { [ATTRIBUTES.connectionState]: 'used' })
      result.observe(idle, { [ATTRIBUTES.connectionState]: 'idle' })
    })
  meter
    .createObservableGauge(METRICS.poolPending, { description: 'Statements that wait for a connection.' })
    .addCallback((result) => result.observe(pool().pending))
  return {
    requestDuration: seconds(METRICS.requestDuration, 'Seconds from the request to the end of its response.'),
    modelCallDuration: seconds(METRICS.modelCallDuration, 'Seconds of calls of models.'),
    tokens: meter.createHistogram(METRICS.tokens, {
      description: 'Tokens of calls of models.',
      unit: '{token}',
      advice: { explicitBucketBoundaries: TOKENS },
    }),
    runsEnded: meter.createCounter(METRICS.runsEnded, { description: 'Runs that have ended, by how.' }),
    steps: meter.createCounter(METRICS.steps, { description: 'Steps of runs that have ended.' }),
    streamReaders: meter.createUpDownCounter(METRICS.streamReaders, { description: 'Event streams that are read.' }),
  }
}
export type Instruments = ReturnType<typeof createInstruments>
