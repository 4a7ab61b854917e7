import { useQuery } from '@tanstack/react-query'
import {
  listEmbeddingModels,
  modifyArchive,
  retrieveEmbeddingOfArchive,
  retryEmbeddingOfArchive,
} from '../../api/generated.ts'
import { useAction } from '../../api/use-action.ts'
import { formatNumber } from '../../components/quantities.ts'
import { Button } from '../../components/ui/button.tsx'
import { NativeSelect } from '../../components/ui/input.tsx'

const REFRESH_MS = 1_000

/** The embedding model of an archive, which can be changed, and the progress of its passages' vectors. */
export function Embedding({ archiveId }: { archiveId: string }) {
  const { data: models = [] } = useQuery({ queryKey: ['embedding-models'], queryFn: () => listEmbeddingModels() })
  const { data: state } = useQuery({
    queryKey: ['archives', archiveId, 'embedding'],
    queryFn: () => retrieveEmbeddingOfArchive(archiveId),
    refetchInterval: ({ state }) => (state.data?.status === 'embedding' ? REFRESH_MS : false),
  })
  const changes = [['archives']]
  const change = useAction((embedding: string) => modifyArchive(archiveId, { embedding }), { changes })
  const retry = useAction(() => retryEmbeddingOfArchive(archiveId), { changes })
  if (!state) return null
  const { total, embedded, status, error_message, embedding_config } = state
  const handle = embedding_config?.handle ?? ''
  return (
    <div className="flex flex-wrap items-center gap-3">
      <NativeSelect
        aria-label="Embedding model"
        className="w-auto max-w-64"
        value={handle}
        disabled={change.pending}
        onChange={({ target }) => change.run(target.value)}
      >
        {!models.some((model) => model.handle === handle) && <option value={handle}>{handle || 'No model'}</option>}
        {models.map((model) => (
          <option key={model.handle} value={model.handle}>
            {model.handle}
          </option>
        ))}
      </NativeSelect>
      {status === 'embedding' && <progress aria-label="Embedded passages" max={total} value={embedded} />}
      <span className="text-muted-foreground tabular-nums">
        {formatNumber(embedded)} of {formatNumber(total)} passages embedded
      </span>
      {error_message && <span className="text-destructive">{error_message}</span>}
      {status === 'failed' && (
        <Button size="small" disabled={retry.pending} onClick={() => retry.run(undefined)}>
          Try again
        </Button>
      )}
    </div>
  )
}
