import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { retrieveServerHealth, type ServerHealth } from '../../api/generated.ts'
import { formatBytes, formatDuration, formatNumber } from '../../components/quantities.ts'
import { Loaded } from '../../components/states.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Failures } from './failures.tsx'
import { RequestChart } from './request-chart.tsx'

const REFRESH_MS = 5_000
/** Less than so many free bytes are a warning, as for `cairn doctor`. */
const FEW_BYTES = 1024 ** 3

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="grid gap-0.5 rounded-lg border bg-card px-3 py-2">
    <dt className="text-muted-foreground text-xs">{name}</dt>
    <dd className="wrap-anywhere tabular-nums">{children}</dd>
  </div>
)

function Facts({
  health: { version, uptime_seconds, database, runs, disk, requests, sandbox },
}: {
  health: ServerHealth
}) {
  const { used, idle, pending } = database.connections
  const { last_minute: minute } = requests
  return (
    <dl className="grid gap-2 sm:grid-cols-2 lg:grid-cols-4">
      <Fact name="Server">
        {version}, up for {uptimeOf(uptime_seconds)}
      </Fact>
      <Fact name="Database">
        {database.engine}, PostgreSQL {database.version}
      </Fact>
      <Fact name="Connections">
        {used} in use, {idle} idle{pending > 0 && <Badge tone="warning">{pending} waiting</Badge>}
      </Fact>
      <Fact name="Runs">
        {runs.running} going on, {runs.waiting} waiting
      </Fact>
      <Fact name="Disk">
        {formatBytes(disk.free_bytes)} of {formatBytes(disk.total_bytes)} free{' '}
        {disk.free_bytes < FEW_BYTES && <Badge tone="warning">nearly full</Badge>}
        <span className="block text-muted-foreground text-xs">{disk.directory}</span>
      </Fact>
      <Fact name="Requests in the last minute">{formatNumber(minute.requests)}</Fact>
      <Fact name="Of these">
        {formatNumber(minute.refused)} refused, {formatNumber(minute.failed)} failed
      </Fact>
      <Fact name="Sandbox">{sandbox.note}</Fact>
    </dl>
  )
}

/** An uptime in the unit that suits it. */
function uptimeOf(seconds: number): string {
  if (seconds < 3600) return formatDuration(seconds * 1e9)
  const hours = Math.floor(seconds / 3600)
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} days`
}

const Queues = ({ jobs }: { jobs: ServerHealth['jobs'] }) => (
  <table aria-label="Background work" className="w-full rounded-lg border bg-card text-left">
    <thead className="text-muted-foreground text-xs">
      <tr>
        {['Background work', 'Ready', 'Later', 'Going on', 'Failed'].map((header) => (
          <th key={header} scope="col" className="px-2 py-1 sm:px-3 font-medium">
            {header}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {jobs.map(({ queue, ready, deferred, active, failed }) => (
        <tr key={queue} className="border-t tabular-nums">
          <th scope="row" className="wrap-anywhere px-2 py-1 font-normal sm:px-3">
            {queue.replaceAll('_', ' ')}
          </th>
          {[ready, deferred, active].map((count, column) => (
            <td key={column} className="px-2 py-1 sm:px-3">
              {formatNumber(count)}
            </td>
          ))}
          <td className="px-2 py-1 sm:px-3">
            {failed > 0 ? <Badge tone="destructive">{formatNumber(failed)}</Badge> : 0}
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** The state of the server, refreshed while it is shown. */
export function Server() {
  const health = useQuery({
    queryKey: ['health'],
    queryFn: () => retrieveServerHealth(),
    refetchInterval: REFRESH_MS,
  })
  return (
    <Loaded query={health}>
      {(report) => (
        <section
          aria-label="State of the server"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the report
          tabIndex={0}
          className="grid min-h-0 grid-cols-[minmax(0,1fr)] content-start gap-3 overflow-auto"
        >
          <Facts health={report} />
          <RequestChart minutes={report.requests.last_hour} />
          <Queues jobs={report.jobs} />
          <Failures failures={report.requests.last_failures} />
        </section>
      )}
    </Loaded>
  )
}
