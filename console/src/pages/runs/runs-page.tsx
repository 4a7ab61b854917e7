import { listRuns, type Run } from '../../api/generated.ts'
import { useList } from '../../api/use-list.ts'
import { DataTable } from '../../components/data-table.tsx'
import { instantOf } from '../../components/local-time.ts'
import { EmptyState } from '../../components/states.tsx'
import { SelectField } from '../../components/ui/select-field.tsx'
import { TimeField } from '../../components/ui/time-field.tsx'
import { useAgentNames } from '../../components/use-agent-names.ts'
import { useFilter } from '../../components/use-filter.ts'
import { Filters, Page } from '../../layout/page.tsx'
import { AgentFilter } from './agent-filter.tsx'
import { RUN_COLUMNS } from './columns.tsx'

const STATUSES = [
  ['', 'Any status'],
  ['created', 'Created'],
  ['running', 'Running'],
  ['completed', 'Completed'],
  ['failed', 'Failed'],
  ['cancelled', 'Cancelled'],
] as const

const ORDERS = [
  ['desc', 'Newest first'],
  ['asc', 'Oldest first'],
] as const

const REFRESH_MS = 3_000
const isActive = ({ status }: Run) => status === 'created' || status === 'running'

/** All runs, by status, agent and time. The list refreshes itself while a run goes on. */
export function RunsPage() {
  const [status, setStatus] = useFilter('status')
  const [agentId] = useFilter('agent')
  const [from, setFrom] = useFilter('from')
  const [until, setUntil] = useFilter('until')
  const [order, setOrder] = useFilter('order')
  const startDate = instantOf(from)
  // The minute that the user chose counts.
  const endDate = instantOf(until, 59_999)
  const filters = {
    order: (order || 'desc') as 'asc' | 'desc',
    ...(agentId && { agentId }),
    ...(status && { statuses: [status as Run['status']] }),
    ...(startDate && { startDate }),
    ...(endDate && { endDate }),
  }
  const list = useList<Run>(['runs', filters], (page, options) => listRuns({ ...filters, ...page }, options), {
    refetchInterval: (rows) => (rows.some(isActive) ? REFRESH_MS : false),
  })
  const names = useAgentNames(list.rows.map(({ agent_id }) => agent_id))
  return (
    <Page title="Runs">
      <Filters>
        <SelectField label="Status" value={status} onChange={setStatus} choices={STATUSES} />
        <AgentFilter />
        <TimeField label="From" value={from} onChange={setFrom} />
        <TimeField label="Until" value={until} onChange={setUntil} />
        <SelectField label="Order" value={order || 'desc'} onChange={setOrder} choices={ORDERS} />
      </Filters>
      <DataTable
        label="Runs"
        columns={RUN_COLUMNS(names)}
        list={list}
        rowKey={(run) => run.id}
        empty={<EmptyState title="No runs here">A run begins when an agent gets a message.</EmptyState>}
      />
    </Page>
  )
}
