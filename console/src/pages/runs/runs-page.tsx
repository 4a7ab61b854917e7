import { listRuns, type Run } from '../../api/generated.ts'
import { useList } from '../../api/use-list.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { Page } from '../../layout/page.tsx'

const COLUMNS: Column<Run>[] = [
  { header: 'Started', cell: (run) => <Time value={run.created_at} />, className: 'w-36' },
  { header: 'Status', cell: (run) => run.status, className: 'w-28' },
  { header: 'Agent', cell: (run) => run.agent_id },
]

/** All runs, newest first. */
export function RunsPage() {
  const list = useList(['runs'], (page, options) => listRuns({ order: 'desc', ...page }, options))
  return (
    <Page title="Runs">
      <DataTable
        label="Runs"
        columns={COLUMNS}
        list={list}
        rowKey={(run) => run.id}
        empty={<EmptyState title="No runs yet" />}
      />
    </Page>
  )
}
