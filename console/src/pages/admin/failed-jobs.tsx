import { RotateCcwIcon } from 'lucide-react'
import { type FailedJob, listFailedJobs, retryFailedJob } from '../../api/generated.ts'
import { useAction } from '../../api/use-action.ts'
import { useList } from '../../api/use-list.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { formatNumber } from '../../components/quantities.ts'
import { EmptyState } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { Button } from '../../components/ui/button.tsx'

const REFRESH_MS = 10_000

function Retry({ job: { id, queue, retryable } }: { job: FailedJob }) {
  const { run, pending } = useAction(() => retryFailedJob(id), {
    changes: [['failed-jobs'], ['health']],
    done: 'The job is tried once more.',
  })
  if (!retryable) return <span className="text-muted-foreground text-xs">not possible</span>
  return (
    <Button
      size="small"
      disabled={pending}
      onClick={() => run(undefined)}
      aria-label={`Retry ${queue.replaceAll('_', ' ')}`}
    >
      <RotateCcwIcon /> Retry
    </Button>
  )
}

const COLUMNS: Column<FailedJob>[] = [
  { header: 'Work', cell: ({ queue }) => queue.replaceAll('_', ' '), className: 'w-40' },
  { header: 'Error', cell: ({ error }) => <span title={error}>{error}</span> },
  {
    header: 'About',
    cell: ({ data }) => <code className="text-xs">{Object.values(data).join(' ')}</code>,
    className: 'hidden lg:table-cell w-80',
  },
  {
    header: 'Organization',
    cell: ({ organization_id }) => <code className="text-xs">{organization_id}</code>,
    className: 'hidden xl:table-cell w-80',
  },
  { header: 'Failed', cell: ({ failed_at }) => <Time value={failed_at} />, className: 'hidden sm:table-cell w-32' },
  { header: 'Tries', cell: ({ tries }) => formatNumber(tries), className: 'hidden sm:table-cell w-16' },
  { header: '', cell: (job) => <Retry job={job} />, className: 'w-28' },
]

/** The background work that has failed within a day, to be tried once more. */
export function FailedJobs() {
  const list = useList<FailedJob>(['failed-jobs'], (page, options) => listFailedJobs(page, options), {
    refetchInterval: () => REFRESH_MS,
  })
  return (
    <DataTable
      label="Failed jobs"
      columns={COLUMNS}
      list={list}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="No failed jobs">Background work that fails at every try appears here for a day.</EmptyState>
      }
    />
  )
}
