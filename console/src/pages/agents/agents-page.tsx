import { type Agent, listAgents } from '../../api/generated.ts'
import { useList } from '../../api/use-list.ts'
import { DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/states.tsx'
import { useFilter } from '../../components/use-filter.ts'
import { Page } from '../../layout/page.tsx'
import { AgentFilters, SORTS } from './agent-filters.tsx'
import { AGENT_COLUMNS } from './columns.tsx'
import { CreateAgent } from './create-agent.tsx'
import { ImportDrop } from './import-drop.tsx'

type Query = NonNullable<Parameters<typeof listAgents>[0]>

/** The filters of the address as those of the API. */
function useAgentQuery(): Query {
  const [text] = useFilter('q')
  const [tags] = useFilter('tags')
  const [allTags] = useFilter('all')
  const [reason] = useFilter('ended')
  const [sort] = useFilter('sort')
  const [orderBy, order] = (sort || SORTS[0][0]).split('.')
  return {
    ...(text && { queryText: text }),
    ...(tags && { tags: tags.split(',').map(decodeURIComponent), matchAllTags: allTags === 'true' }),
    ...(reason && { lastStopReason: reason as NonNullable<Query['lastStopReason']> }),
    orderBy: orderBy as NonNullable<Query['orderBy']>,
    order: order as NonNullable<Query['order']>,
  }
}

/** All agents of the organization: searched, filtered, sorted, created, imported, exported and deleted. */
export function AgentsPage() {
  const query = useAgentQuery()
  const list = useList<Agent>(['agents', query], (page, options) =>
    listAgents({ ...query, include: ['agent.tags'], ...page }, options),
  )
  return (
    <ImportDrop>
      <Page title="Agents" actions={<CreateAgent />}>
        <AgentFilters />
        <DataTable
          label="Agents"
          columns={AGENT_COLUMNS}
          list={list}
          rowKey={(agent) => agent.id}
          empty={
            <EmptyState title="No agents here">
              Create one, or drop an agent file (.af) on this page. Where filters are set, fewer of them show more.
            </EmptyState>
          }
        />
      </Page>
    </ImportDrop>
  )
}
