import { useQuery } from '@tanstack/react-query'
import { searchPassages } from '../../api/generated.ts'
import { Loaded } from '../../components/states.tsx'
import { Tags } from '../../components/tags.tsx'
import { DeletePassage } from './delete-passage.tsx'
import { PassageText } from './passage-text.tsx'

type Hit = Awaited<ReturnType<typeof searchPassages>>[number]

const MODES = [
  { mode: 'vector', title: 'By vectors' },
  { mode: 'fts', title: 'By words' },
  { mode: 'hybrid', title: 'By both' },
] as const

/** Hits shown of each kind of search. */
const HITS = 10

const rounded = (score: number | undefined) => score?.toFixed(3) ?? '–'

/** The numbers behind a hit. */
function Scores({ score, metadata }: Hit) {
  const { vector_score, vector_rank, fts_score, fts_rank, indexes } = metadata
  return (
    <p className="text-muted-foreground text-xs tabular-nums">
      <strong className="font-medium text-foreground">{rounded(score)}</strong>
      {vector_rank !== undefined && ` · vectors ${rounded(vector_score)} (no. ${vector_rank})`}
      {fts_rank !== undefined && ` · words ${rounded(fts_score)} (no. ${fts_rank})`}
      {` · ${indexes.join(', ')}`}
    </p>
  )
}

function Hits({ archiveId, query, mode }: { archiveId: string; query: string; mode: (typeof MODES)[number]['mode'] }) {
  const hits = useQuery({
    queryKey: ['archives', archiveId, 'search', mode, query],
    queryFn: () => searchPassages({ archive_id: archiveId, query, search_mode: mode, limit: HITS }),
  })
  return (
    <Loaded query={hits}>
      {(hits) => (
        <ol className="grid gap-2">
          {hits.length === 0 && <li className="text-muted-foreground">Nothing found</li>}
          {hits.map((hit) => (
            <li key={hit.passage.id} className="grid gap-1 rounded-md border p-2">
              <div className="flex items-start justify-between gap-2">
                <Scores {...hit} />
                <DeletePassage archiveId={archiveId} passageId={hit.passage.id} />
              </div>
              <PassageText passage={hit.passage} className="line-clamp-6 whitespace-pre-wrap break-words" />
              {hit.passage.tags.length > 0 && <Tags tags={hit.passage.tags} />}
            </li>
          ))}
        </ol>
      )}
    </Loaded>
  )
}

/** The hits of one query by vectors, by words and by both, side by side. */
export function SearchColumns({ archiveId, query }: { archiveId: string; query: string }) {
  return (
    <div className="grid gap-4 lg:grid-cols-3">
      {MODES.map(({ mode, title }) => (
        <section key={mode} aria-label={title} className="grid content-start gap-2">
          <h2 className="font-medium">{title}</h2>
          <Hits archiveId={archiveId} query={query} mode={mode} />
        </section>
      ))}
    </div>
  )
}
