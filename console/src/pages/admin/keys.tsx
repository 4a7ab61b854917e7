import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type ApiKey, createApiKey, listApiKeys, revokeApiKey } from '../../api/generated.ts'
import { useList } from '../../api/use-list.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { EmptyState } from '../../components/states.tsx'
import { Tags } from '../../components/tags.tsx'
import { Time } from '../../components/time.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'

/** Whether a key still works, and until when. */
function State({ revoked_at, expires_at }: ApiKey) {
  if (revoked_at) return <Badge tone="destructive">revoked</Badge>
  if (!expires_at) return <Badge tone="success">valid</Badge>
  if (Date.parse(expires_at) < Date.now()) return <Badge tone="warning">expired</Badge>
  return <Time value={expires_at} />
}

const COLUMNS: Column<ApiKey>[] = [
  { header: 'Name', cell: ({ name }) => name },
  { header: 'Scopes', cell: ({ scopes }) => <Tags tags={scopes} />, className: 'hidden md:table-cell' },
  {
    header: 'Last use',
    cell: ({ last_used_at }) => <Time value={last_used_at} />,
    className: 'hidden sm:table-cell w-32',
  },
  { header: 'Valid until', cell: (key) => <State {...key} />, className: 'w-32' },
  {
    header: '',
    cell: ({ id, name, revoked_at }) =>
      !revoked_at && (
        <DeleteButton
          what={`the key ${name}`}
          action="Revoke"
          body="Programs that use it stop working at once."
          remove={() => revokeApiKey(id)}
          changes={[['keys']]}
        />
      ),
    className: 'w-12',
  },
]

const FIELDS = [
  { name: 'name', label: 'Name' },
  {
    name: 'scopes',
    label: 'Scopes',
    value: 'read, write',
    description: 'Of read, write, secrets, admin and tools:write, or areas such as blocks:read. Separated by commas.',
  },
  { name: 'expires', label: 'Valid until', kind: 'date', optional: true },
] as const

/** The API keys of the organization: made, shown once, and revoked. */
export function Keys() {
  const list = useList<ApiKey>(['keys'], (page, options) => listApiKeys(page, options))
  const [made, setMade] = useState<string>()
  const client = useQueryClient()
  const create = async ({ name = '', scopes = '', expires }: Record<string, string>) => {
    const { key } = await createApiKey({
      name,
      scopes: scopes.split(',').map((scope) => scope.trim()),
      ...(expires && { expires_at: new Date(expires).toISOString() }),
    })
    setMade(key)
    await client.invalidateQueries({ queryKey: ['keys'] })
  }
  return (
    <>
      <div>
        <FormDialog open="New key" title="New API key" fields={FIELDS} action="Create" submit={create} />
      </div>
      <DataTable
        label="API keys"
        columns={COLUMNS}
        list={list}
        rowKey={({ id }) => id}
        empty={<EmptyState title="No keys" />}
      />
      <Dialog open={made !== undefined} onOpenChange={() => setMade(undefined)} title="The new key, shown this once">
        <code className="select-all break-all rounded-md bg-muted p-2">{made}</code>
      </Dialog>
    </>
  )
}
