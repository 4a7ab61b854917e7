import { useQuery } from '@tanstack/react-query'
import { listEmbeddingModels, listModels } from '../../api/generated.ts'
import { formatNumber } from '../../components/quantities.ts'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Page } from '../../layout/page.tsx'
import { Providers } from './providers.tsx'

interface Row {
  handle: string
  provider: string
  /** Its size: tokens of context, or dimensions of its vectors. */
  size: number
}

const CELL = 'h-8 border-b px-2 text-left'

function ModelTable({ label, size, rows }: { label: string; size: string; rows: Row[] }) {
  if (rows.length === 0) return <EmptyState title="No models: add a provider" />
  return (
    <table aria-label={label} className="w-full">
      <thead className="text-muted-foreground text-xs">
        <tr>
          <th className={CELL}>Model</th>
          <th className={CELL}>Provider</th>
          <th className={CELL}>{size}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ handle, provider, size }) => (
          <tr key={handle}>
            <td className={`${CELL} break-all font-medium`}>{handle}</td>
            <td className={CELL}>{provider}</td>
            <td className={`${CELL} tabular-nums`}>{formatNumber(size)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The providers of models, and the models that they offer. */
export function ModelsPage() {
  const models = useQuery({ queryKey: ['models'], queryFn: () => listModels() })
  const embedding = useQuery({ queryKey: ['embedding-models'], queryFn: () => listEmbeddingModels() })
  return (
    <Page title="Models">
      <Providers />
      <div className="grid items-start gap-3 xl:grid-cols-2">
        <Card title="Language models">
          <Loaded query={models}>
            {(models) => (
              <ModelTable
                label="Language models"
                size="Context, tokens"
                rows={models.map((model) => ({
                  handle: model.handle,
                  provider: model.provider_name,
                  size: model.context_window,
                }))}
              />
            )}
          </Loaded>
        </Card>
        <Card title="Embedding models">
          <Loaded query={embedding}>
            {(models) => (
              <ModelTable
                label="Embedding models"
                size="Dimensions"
                rows={models.map((model) => ({
                  handle: model.handle,
                  provider: model.provider_name,
                  size: model.embedding_dim,
                }))}
              />
            )}
          </Loaded>
        </Card>
      </div>
    </Page>
  )
}
