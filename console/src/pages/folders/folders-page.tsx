import { useNavigate } from '@tanstack/react-router'
import { createFolder, deleteFolder, type Folder, listFolders } from '../../api/generated.ts'
import { useList } from '../../api/use-list.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { ResourceLink } from '../../components/resource-link.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useFilter } from '../../components/use-filter.ts'
import { Filters, Page } from '../../layout/page.tsx'

const COLUMNS: Column<Folder>[] = [
  {
    header: 'Name',
    cell: ({ id, name }) => (
      <ResourceLink to="/folders/$folderId" params={{ folderId: id }}>
        {name}
      </ResourceLink>
    ),
  },
  { header: 'Description', cell: ({ description }) => description, className: 'hidden md:table-cell' },
  { header: 'Created', cell: ({ created_at }) => <Time value={created_at} />, className: 'w-36' },
  {
    header: '',
    cell: ({ id, name }) => (
      <DeleteButton
        what={`the folder ${name}`}
        body="Its files go with it, and agents lose them."
        remove={() => deleteFolder(id)}
        changes={[['folders']]}
      />
    ),
    className: 'w-12',
  },
]

const FIELDS = [
  { name: 'name', label: 'Name' },
  { name: 'description', label: 'Description', optional: true },
  { name: 'instructions', label: 'Instructions', description: 'How agents use the folder.', optional: true },
]

/** All folders, searched by name. */
export function FoldersPage() {
  const [query, setQuery] = useFilter('q')
  const filters = query ? { name: query } : {}
  const list = useList<Folder>(['folders', filters], (page, options) => listFolders({ ...filters, ...page }, options))
  const navigate = useNavigate()
  const create = async ({ name = '', ...more }: Record<string, string>) => {
    const { id } = await createFolder({ name, ...more })
    await navigate({ to: '/folders/$folderId', params: { folderId: id } })
  }
  return (
    <Page
      title="Folders"
      actions={<FormDialog open="New folder" title="New folder" fields={FIELDS} action="Create" submit={create} />}
    >
      <Filters>
        <SearchBox label="Search folders" value={query} onChange={setQuery} />
      </Filters>
      <DataTable
        label="Folders"
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        empty={<EmptyState title="No folders here">A folder holds files that agents read and search.</EmptyState>}
      />
    </Page>
  )
}
