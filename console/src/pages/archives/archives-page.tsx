import { useNavigate } from '@tanstack/react-router'
import { type Archive, createArchive, deleteArchive, listArchives } from '../../api/generated.ts'
import { useList } from '../../api/use-list.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { ResourceLink } from '../../components/resource-link.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { Page } from '../../layout/page.tsx'

const COLUMNS: Column<Archive>[] = [
  {
    header: 'Name',
    cell: ({ id, name }) => (
      <ResourceLink to="/archives/$archiveId" params={{ archiveId: id }}>
        {name}
      </ResourceLink>
    ),
  },
  { header: 'Description', cell: ({ description }) => description, className: 'hidden md:table-cell' },
  {
    header: 'Embedding model',
    cell: ({ embedding_config }) => embedding_config?.handle ?? embedding_config?.embedding_model,
    className: 'hidden lg:table-cell w-56',
  },
  { header: 'Created', cell: ({ created_at }) => <Time value={created_at} />, className: 'w-36' },
  {
    header: '',
    cell: ({ id, name }) => (
      <DeleteButton
        what={`the archive ${name}`}
        body="Its passages go with it. Agents lose this knowledge."
        remove={() => deleteArchive(id)}
        changes={[['archives']]}
      />
    ),
    className: 'w-12',
  },
]

const FIELDS = [
  { name: 'name', label: 'Name' },
  { name: 'description', label: 'Description', optional: true },
]

/** All archives, newest first. */
export function ArchivesPage() {
  const list = useList<Archive>(['archives'], (page, options) => listArchives(page, options))
  const navigate = useNavigate()
  const create = async ({ name = '', description }: Record<string, string>) => {
    const { id } = await createArchive({ name, ...(description && { description }) })
    await navigate({ to: '/archives/$archiveId', params: { archiveId: id } })
  }
  const actions = <FormDialog open="New archive" title="New archive" fields={FIELDS} action="Create" submit={create} />
  return (
    <Page title="Archives" actions={actions}>
      <DataTable
        label="Archives"
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        empty={<EmptyState title="No archives yet">An archive holds passages that agents search.</EmptyState>}
      />
    </Page>
  )
}
