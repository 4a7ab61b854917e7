import { Link } from '@tanstack/react-router'
import type { Run } from '../../api/generated.ts'
import type { Column } from '../../components/data-table.tsx'
import { formatDuration } from '../../components/quantities.ts'
import { StatusBadge } from '../../components/status-badge.tsx'
import { Time } from '../../components/time.tsx'

/** The columns of lists of runs. */
export const RUN_COLUMNS = (names: ReadonlyMap<string, string>): Column<Run>[] => [
  {
    header: 'Begun',
    cell: (run) => (
      <Link to="/runs/$runId" params={{ runId: run.id }} className="font-medium hover:text-primary hover:underline">
        <Time value={run.created_at} />
      </Link>
    ),
    className: 'w-36',
  },
  { header: 'Status', cell: (run) => <StatusBadge status={run.status} />, className: 'w-28' },
  { header: 'Agent', cell: (run) => names.get(run.agent_id) ?? <code className="text-xs">{run.agent_id}</code> },
  {
    header: 'Ended with',
    cell: (run) => <StatusBadge status={run.stop_reason} />,
    className: 'hidden w-44 md:table-cell',
  },
  {
    header: 'First token',
    cell: (run) => formatDuration(run.ttft_ns),
    className: 'hidden w-28 text-right tabular-nums lg:table-cell',
  },
  {
    header: 'Duration',
    cell: (run) => formatDuration(run.total_duration_ns),
    className: 'hidden w-28 text-right tabular-nums sm:table-cell',
  },
]
