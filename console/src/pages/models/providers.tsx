import { useQueryClient } from '@tanstack/react-query'
import { toast } from 'sonner'
import {
  checkProviderById,
  createProvider,
  deleteProvider,
  listProviders,
  type Provider,
  refreshProvider,
} from '../../api/generated.ts'
import { reportError } from '../../api/problem.ts'
import { useAction } from '../../api/use-action.ts'
import { useList } from '../../api/use-list.ts'
import { DeleteButton } from '../../components/delete-button.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'

const CHANGES = [['providers'], ['models'], ['embedding-models']]

/** The types whose key and address are all that a provider needs. */
const TYPES: readonly Provider['provider_type'][] = [
  ...(['openai', 'anthropic', 'google_ai', 'mistral', 'together', 'groq', 'deepseek', 'xai', 'openrouter'] as const),
  ...(['fireworks', 'cerebras', 'moonshot', 'zai', 'ollama', 'vllm', 'sglang', 'lmstudio_openai', 'llamacpp'] as const),
]

const FIELDS = [
  { name: 'name', label: 'Name', description: 'The first part of the handles of its models.' },
  { name: 'provider_type', label: 'Type', options: TYPES },
  { name: 'api_key', label: 'API key', kind: 'password', optional: true },
  { name: 'base_url', label: 'Address', description: 'Where it is not the usual one.', optional: true },
] as const

function ProviderRow({ provider: { id, name, provider_type, provider_category, sync_error } }: { provider: Provider }) {
  const check = useAction(() => checkProviderById(id), { onSuccess: ({ message }) => toast.success(message) })
  const refresh = useAction(() => refreshProvider(id), { changes: CHANGES, done: 'Its models are listed again' })
  const own = provider_category === 'byok'
  return (
    <li className="flex flex-wrap items-center gap-2 border-b py-1.5 last:border-0">
      <span className="font-medium">{name}</span>
      <Badge>{provider_type}</Badge>
      {!own && <Badge tone="accent">of the server</Badge>}
      <span className="min-w-0 flex-1 truncate text-destructive" title={sync_error}>
        {sync_error}
      </span>
      {own && (
        <>
          <Button size="small" disabled={check.pending} onClick={() => check.run(undefined)}>
            Check key
          </Button>
          <Button size="small" disabled={refresh.pending} onClick={() => refresh.run(undefined)}>
            Refresh models
          </Button>
          <DeleteButton what={`the provider ${name}`} remove={() => deleteProvider(id)} changes={CHANGES} />
        </>
      )}
    </li>
  )
}

/** The providers of the organization: added, checked, refreshed and deleted. */
export function Providers() {
  const { rows } = useList<Provider>(['providers'], (page, options) => listProviders(page, options))
  const client = useQueryClient()
  const create = async ({ name = '', provider_type, ...more }: Record<string, string>) => {
    const { id } = await createProvider({ name, provider_type: provider_type as Provider['provider_type'], ...more })
    // Its models are there at once, and not only when the server has listed them in the background.
    await refreshProvider(id).catch(reportError)
    await Promise.all(CHANGES.map((queryKey) => client.invalidateQueries({ queryKey })))
  }
  const actions = <FormDialog open="Add provider" title="Add a provider" fields={FIELDS} action="Add" submit={create} />
  return (
    <Card title="Providers" actions={actions}>
      {rows.length === 0 && <p className="text-muted-foreground">No providers of your own.</p>}
      <ul aria-label="Providers">
        {rows.map((provider) => (
          <ProviderRow key={provider.id} provider={provider} />
        ))}
      </ul>
    </Card>
  )
}
