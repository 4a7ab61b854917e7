import { type Change, listChanges } from '../../api/generated.ts'
import { useList } from '../../api/use-list.ts'
import { instantOf } from '../../components/local-time.ts'
import { SearchBox } from '../../components/search-box.tsx'
import { EmptyState, ErrorState, LoadingState } from '../../components/states.tsx'
import { Button } from '../../components/ui/button.tsx'
import { SelectField } from '../../components/ui/select-field.tsx'
import { TimeField } from '../../components/ui/time-field.tsx'
import { useFilter } from '../../components/use-filter.ts'
import { Filters, Page } from '../../layout/page.tsx'
import { ChangeEntry } from './change-entry.tsx'
import { KINDS } from './kinds.ts'

const KIND_CHOICES = [
  ['', 'Any kind'],
  ...Object.entries(KINDS).map(
    ([kind, { word }]) => [kind, word.replace(/^./, (letter) => letter.toUpperCase())] as const,
  ),
] as const

const OPERATIONS = [
  ['', 'Any operation'],
  ['create', 'Created'],
  ['update', 'Changed'],
  ['delete', 'Deleted'],
  ['link', 'Attached'],
  ['unlink', 'Detached'],
] as const

/** The newest changes are read again so often; longer lists, which take several requests, less often. */
const refreshMs = (changes: readonly Change[]) => (changes.length <= 100 ? 3_000 : 30_000)

/** Every change of the organization that the key may see, as it happens. */
export function FeedPage() {
  const [kind, setKind] = useFilter('kind')
  const [operation, setOperation] = useFilter('operation')
  const [resource, setResource] = useFilter('resource')
  const [actor, setActor] = useFilter('actor')
  const [from, setFrom] = useFilter('from')
  const [until, setUntil] = useFilter('until')
  const createdAfter = instantOf(from)
  const createdBefore = instantOf(until)
  const filters = {
    ...(kind && { kind: [kind as Change['kind']] }),
    ...(operation && { operation: [operation as Change['operation']] }),
    ...(resource && { resourceId: resource }),
    ...(actor && { actorId: actor }),
    ...(createdAfter && { createdAfter }),
    ...(createdBefore && { createdBefore }),
  }
  const list = useList<Change>(['changes', filters], (page, options) => listChanges({ ...filters, ...page }, options), {
    refetchInterval: refreshMs,
  })
  return (
    <Page title="Feed">
      <Filters>
        <SelectField label="Kind" value={kind} onChange={setKind} choices={KIND_CHOICES} />
        <SelectField label="Operation" value={operation} onChange={setOperation} choices={OPERATIONS} />
        <TimeField label="From" value={from} onChange={setFrom} />
        <TimeField label="Until" value={until} onChange={setUntil} />
        <SearchBox label="Id of a resource" value={resource} onChange={setResource} />
        <SearchBox label="Id of an author" value={actor} onChange={setActor} />
      </Filters>
      {list.error ? (
        <ErrorState error={list.error} retry={list.retry} />
      ) : list.isLoading ? (
        <LoadingState />
      ) : list.rows.length === 0 ? (
        <EmptyState title="No changes here">Every change of a resource appears here, with its author.</EmptyState>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the list
        <section aria-label="Changes" tabIndex={0} className="grid min-h-0 flex-1 content-start gap-2 overflow-auto">
          <ol className="grid gap-2">
            {list.rows.map((change) => (
              <ChangeEntry
                key={change.id}
                change={change}
                only={(filter, id) => (filter === 'resource' ? setResource(id) : setActor(id))}
              />
            ))}
          </ol>
          {list.hasMore && (
            <Button disabled={list.isLoadingMore} onClick={list.loadMore}>
              Show older changes
            </Button>
          )}
        </section>
      )}
    </Page>
  )
}
