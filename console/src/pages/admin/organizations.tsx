import { useQueryClient } from '@tanstack/react-query'
import { createOrganization, listOrganizations, type Organization } from '../../api/generated.ts'
import { useList } from '../../api/use-list.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'

const COLUMNS: Column<Organization>[] = [
  { header: 'Name', cell: ({ name }) => name },
  { header: 'Id', cell: ({ id }) => <code className="text-xs">{id}</code> },
  { header: 'Created', cell: ({ created_at }) => <Time value={created_at} />, className: 'hidden md:table-cell w-36' },
]

const FIELDS = [{ name: 'name', label: 'Name' }]

/** The organizations that the key may see. */
export function Organizations() {
  const list = useList<Organization>(['organizations'], (page, options) => listOrganizations(page, options))
  const client = useQueryClient()
  const create = async ({ name = '' }: Record<string, string>) => {
    await createOrganization({ name })
    await client.invalidateQueries({ queryKey: ['organizations'] })
  }
  return (
    <>
      <div>
        <FormDialog open="New organization" title="New organization" fields={FIELDS} action="Create" submit={create} />
      </div>
      <DataTable
        label="Organizations"
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        empty={<EmptyState title="No organizations" />}
      />
    </>
  )
}
