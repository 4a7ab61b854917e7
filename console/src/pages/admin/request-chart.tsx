import type { ServerHealth } from '../../api/generated.ts'
import { TimeChart } from '../../components/chart/time-chart.tsx'
import { formatNumber } from '../../components/quantities.ts'

/** The requests of each minute of the last hour. */
export function RequestChart({ minutes }: { minutes: ServerHealth['requests']['last_hour'] }) {
  const total = (name: 'requests' | 'refused' | 'failed') =>
    formatNumber(minutes.reduce((sum, minute) => sum + minute[name], 0))
  return (
    <figure className="grid gap-2 rounded-lg border bg-card px-3 py-2">
      <figcaption className="text-muted-foreground text-xs">Requests a minute, in the last hour</figcaption>
      <TimeChart
        label={`Requests in the last hour: ${total('requests')}, of these ${total('refused')} refused, ${total('failed')} failed`}
        times={minutes.map(({ at }) => at)}
        series={[
          { label: 'Requests', colour: 'primary', values: minutes.map(({ requests }) => requests) },
          { label: 'Refused', colour: 'warning', values: minutes.map(({ refused }) => refused) },
          { label: 'Failed', colour: 'destructive', values: minutes.map(({ failed }) => failed) },
        ]}
      />
    </figure>
  )
}
