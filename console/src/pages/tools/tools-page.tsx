import { Link } from '@tanstack/react-router'
import { deleteTool, listTools, type Tool } from '../../api/generated.ts'
import { useList } from '../../api/use-list.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { ResourceLink } from '../../components/resource-link.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Tags } from '../../components/tags.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { useFilter } from '../../components/use-filter.ts'
import { Filters, Page } from '../../layout/page.tsx'

const COLUMNS: Column<Tool>[] = [
  {
    header: 'Name',
    cell: ({ id, name }) => (
      <ResourceLink to="/tools/$toolId" params={{ toolId: id }}>
        {name}
      </ResourceLink>
    ),
  },
  { header: 'Description', cell: ({ description }) => description, className: 'hidden md:table-cell w-1/2' },
  { header: 'Tags', cell: ({ tags }) => <Tags tags={tags} />, className: 'hidden lg:table-cell w-40' },
  { header: 'Type', cell: ({ tool_type }) => <Badge>{tool_type?.replaceAll('_', ' ')}</Badge>, className: 'w-36' },
  {
    header: '',
    cell: ({ id, name }) => (
      <DeleteButton
        what={`the tool ${name}`}
        body="Every agent that has the tool loses it."
        remove={() => deleteTool(id)}
        changes={[['tools']]}
      />
    ),
    className: 'w-12',
  },
]

/** All tools, searched by name. */
export function ToolsPage() {
  const [query, setQuery] = useFilter('q')
  const filters = query ? { search: query } : {}
  const list = useList<Tool>(['tools', filters], (page, options) => listTools({ ...filters, ...page }, options))
  const actions = (
    <Button asChild>
      <Link to="/tools/$toolId" params={{ toolId: 'new' }}>
        New tool
      </Link>
    </Button>
  )
  return (
    <Page title="Tools" actions={actions}>
      <Filters>
        <SearchBox label="Search tools" value={query} onChange={setQuery} />
      </Filters>
      <DataTable
        label="Tools"
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        empty={<EmptyState title="No tools here" />}
      />
    </Page>
  )
}
