import { useQueryClient } from '@tanstack/react-query'
import { createIdentity, deleteIdentity, type Identity, listIdentities } from '../../api/generated.ts'
import { useList } from '../../api/use-list.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { useFilter } from '../../components/use-filter.ts'
import { Filters, Page } from '../../layout/page.tsx'

const COLUMNS: Column<Identity>[] = [
  { header: 'Name', cell: ({ name }) => name },
  { header: 'Key', cell: ({ identifier_key }) => identifier_key },
  { header: 'Type', cell: ({ identity_type }) => <Badge>{identity_type}</Badge>, className: 'w-20' },
  {
    header: 'Linked to',
    cell: ({ agent_ids, block_ids }) => `${agent_ids.length} agents, ${block_ids.length} blocks`,
    className: 'hidden md:table-cell w-44',
  },
  {
    header: '',
    cell: ({ id, name }) => (
      <DeleteButton what={`the identity ${name}`} remove={() => deleteIdentity(id)} changes={[['identities']]} />
    ),
    className: 'w-12',
  },
]

const TYPES = ['user', 'org', 'other'] as const

const FIELDS = [
  { name: 'name', label: 'Name' },
  { name: 'identifier_key', label: 'Key', description: 'The id of this person or organization in your own program.' },
  { name: 'identity_type', label: 'Type', options: TYPES },
]

/** All identities, searched by name. */
export function IdentitiesPage() {
  const [query, setQuery] = useFilter('q')
  const filters = query ? { name: query } : {}
  const list = useList<Identity>(['identities', filters], (page, options) =>
    listIdentities({ ...filters, ...page }, options),
  )
  const client = useQueryClient()
  const create = async ({ name = '', identifier_key = '', identity_type }: Record<string, string>) => {
    const type = TYPES.find((type) => type === identity_type) ?? 'other'
    await createIdentity({ name, identifier_key, identity_type: type })
    await client.invalidateQueries({ queryKey: ['identities'] })
  }
  return (
    <Page
      title="Identities"
      actions={<FormDialog open="New identity" title="New identity" fields={FIELDS} action="Create" submit={create} />}
    >
      <Filters>
        <SearchBox label="Search identities" value={query} onChange={setQuery} />
      </Filters>
      <DataTable
        label="Identities"
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        empty={<EmptyState title="No identities here">An identity is whom agents talk to.</EmptyState>}
      />
    </Page>
  )
}
