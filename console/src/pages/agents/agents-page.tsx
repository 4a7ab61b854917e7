import { type Agent, listAgents } from '../../api/generated.ts'
import { useList } from '../../api/use-list.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useFilter } from '../../components/use-filter.ts'
import { Filters, Page } from '../../layout/page.tsx'

const COLUMNS: Column<Agent>[] = [
  { header: 'Name', cell: (agent) => agent.name },
  { header: 'Model', cell: (agent) => agent.model, className: 'hidden md:table-cell' },
  { header: 'Created', cell: (agent) => <Time value={agent.created_at} />, className: 'w-36' },
]

/** All agents, searched by name. */
export function AgentsPage() {
  const [query, setQuery] = useFilter('q')
  const filters = query ? { queryText: query } : {}
  const list = useList(['agents', filters], (page, options) => listAgents({ ...filters, ...page }, options))
  return (
    <Page title="Agents">
      <Filters>
        <SearchBox label="Search agents" value={query} onChange={setQuery} />
      </Filters>
      <DataTable
        label="Agents"
        columns={COLUMNS}
        list={list}
        rowKey={(agent) => agent.id}
        empty={<EmptyState title="No agents here" />}
      />
    </Page>
  )
}
