import { useQueryClient } from '@tanstack/react-query'
import { createUser, deleteUser, listUsers, type User } from '../../api/generated.ts'
import { useList } from '../../api/use-list.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'

const COLUMNS: Column<User>[] = [
  { header: 'Name', cell: ({ name }) => name },
  { header: 'Organization', cell: ({ organization_id }) => organization_id, className: 'hidden md:table-cell' },
  { header: 'Created', cell: ({ created_at }) => <Time value={created_at} />, className: 'w-36' },
  {
    header: '',
    cell: ({ id, name }) => (
      <DeleteButton
        what={`the user ${name}`}
        body="The keys of this user stop working."
        remove={() => deleteUser(id)}
        changes={[['users']]}
      />
    ),
    className: 'w-12',
  },
]

const FIELDS = [
  { name: 'name', label: 'Name' },
  { name: 'organization_id', label: 'Organization', description: 'Its id.' },
]

/** The users that the key may see. */
export function Users() {
  const list = useList<User>(['users'], (page, options) => listUsers(page, options))
  const client = useQueryClient()
  const create = async ({ name = '', organization_id = '' }: Record<string, string>) => {
    await createUser({ name, organization_id })
    await client.invalidateQueries({ queryKey: ['users'] })
  }
  return (
    <>
      <div>
        <FormDialog open="New user" title="New user" fields={FIELDS} action="Create" submit={create} />
      </div>
      <DataTable
        label="Users"
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        empty={<EmptyState title="No users" />}
      />
    </>
  )
}
