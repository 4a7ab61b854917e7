import type { ServerHealth } from '../../api/generated.ts'
import { Time } from '../../components/time.tsx'
import { Badge } from '../../components/ui/badge.tsx'

/** The requests that failed last, with their ids and errors. */
export function Failures({ failures }: { failures: ServerHealth['requests']['last_failures'] }) {
  if (failures.length === 0)
    return <p className="text-muted-foreground">No request has failed since the server started.</p>
  return (
    <ul aria-label="Failed requests" className="grid gap-2">
      {failures.map(({ at, request_id, organization_id, method, route, status, error }) => (
        <li key={`${request_id} ${at}`} className="grid gap-1 rounded-lg border bg-card px-3 py-2">
          <div className="flex flex-wrap items-center gap-2">
            <Badge tone="destructive">{status}</Badge>
            <code className="wrap-anywhere text-xs">
              {method} {route}
            </code>
            <Time value={at} />
          </div>
          <p className="wrap-anywhere">{error}</p>
          <p className="wrap-anywhere font-mono text-muted-foreground text-xs">
            Request {request_id} {organization_id}
          </p>
        </li>
      ))}
    </ul>
  )
}
