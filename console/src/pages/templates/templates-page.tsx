import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { createAgentsFromTemplate, deleteTemplate, listTemplates, type Template } from '../../api/generated.ts'
import type { List } from '../../api/use-list.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useFilter } from '../../components/use-filter.ts'
import { Filters, Page } from '../../layout/page.tsx'

const PAGE_SIZE = 100

/** The templates whose names contain a text. Their list counts rows instead of naming the last one. */
function useTemplates(search: string): List<Template> {
  const query = useInfiniteQuery({
    queryKey: ['templates', search],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) =>
      listTemplates({ limit: PAGE_SIZE, offset: pageParam, ...(search && { search }) }, { signal }),
    getNextPageParam: ({ has_next_page }, pages) => (has_next_page ? pages.length * PAGE_SIZE : undefined),
  })
  return {
    rows: query.data?.pages.flatMap(({ templates }) => templates) ?? [],
    error: query.error,
    isLoading: query.isPending,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  }
}

/** A button that makes an agent from the latest version of a template. */
function NewAgent({ template: { name, latest_version } }: { template: Template }) {
  const navigate = useNavigate()
  const create = async ({ agent_name }: Record<string, string>) => {
    const { agent_ids } = await createAgentsFromTemplate(`${name}:${latest_version}`, agent_name ? { agent_name } : {})
    await navigate({ to: '/agents/$agentId', params: { agentId: agent_ids[0]! } })
  }
  const fields = [{ name: 'agent_name', label: 'Name of the agent', optional: true }]
  return <FormDialog open="New agent" title={`An agent from ${name}`} fields={fields} action="Create" submit={create} />
}

const COLUMNS: Column<Template>[] = [
  { header: 'Name', cell: ({ name }) => name },
  { header: 'Description', cell: ({ description }) => description, className: 'hidden md:table-cell' },
  { header: 'Version', cell: ({ latest_version }) => latest_version, className: 'hidden w-24 sm:table-cell' },
  { header: 'Changed', cell: ({ updated_at }) => <Time value={updated_at} />, className: 'hidden sm:table-cell w-36' },
  { header: 'Use', cell: (template) => <NewAgent template={template} />, className: 'w-32' },
  {
    header: '',
    cell: ({ name }) => (
      <DeleteButton what={`the template ${name}`} remove={() => deleteTemplate(name)} changes={[['templates']]} />
    ),
    className: 'w-12',
  },
]

/** All templates, searched by name. */
export function TemplatesPage() {
  const [query, setQuery] = useFilter('q')
  const list = useTemplates(query)
  return (
    <Page title="Templates">
      <Filters>
        <SearchBox label="Search templates" value={query} onChange={setQuery} />
      </Filters>
      <DataTable
        label="Templates"
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        empty={<EmptyState title="No templates here">A template makes agents that are alike.</EmptyState>}
      />
    </Page>
  )
}
