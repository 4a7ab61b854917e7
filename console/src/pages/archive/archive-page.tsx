import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { createPassage, listPassages, type Passage, retrieveArchive } from '../../api/generated.ts'
import { useList } from '../../api/use-list.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { Tags } from '../../components/tags.tsx'
import { Time } from '../../components/time.tsx'
import { useFilter } from '../../components/use-filter.ts'
import { Filters, Page } from '../../layout/page.tsx'
import { DeletePassage } from './delete-passage.tsx'
import { Embedding } from './embedding.tsx'
import { PassageText } from './passage-text.tsx'
import { SearchColumns } from './search-columns.tsx'

const columnsOf = (archiveId: string): Column<Passage>[] => [
  { header: 'Text', cell: (passage) => <PassageText passage={passage} className="block w-full truncate" /> },
  { header: 'Tags', cell: ({ tags }) => <Tags tags={tags} />, className: 'hidden sm:table-cell w-48' },
  { header: 'Created', cell: ({ created_at }) => <Time value={created_at} />, className: 'hidden md:table-cell w-36' },
  {
    header: '',
    cell: ({ id }) => <DeletePassage archiveId={archiveId} passageId={id} />,
    className: 'w-12',
  },
]

const FIELDS = [
  { name: 'text', label: 'Text', kind: 'long' },
  { name: 'tags', label: 'Tags', description: 'Separated by commas.', optional: true },
] as const

const tagsOf = (text = '') =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')

function Passages({ archiveId }: { archiveId: string }) {
  const list = useList<Passage>(['archives', archiveId, 'passages'], (page, options) =>
    listPassages(archiveId, { order: 'desc', ...page }, options),
  )
  return (
    <DataTable
      label="Passages"
      columns={columnsOf(archiveId)}
      list={list}
      rowKey={({ id }) => id}
      empty={<EmptyState title="No passages yet" />}
    />
  )
}

/** One archive: its passages, searched in three ways, and its embedding model. */
export function ArchivePage() {
  const { archiveId } = useParams({ from: '/archives/$archiveId' })
  const [query, setQuery] = useFilter('q')
  const client = useQueryClient()
  const archive = useQuery({ queryKey: ['archives', archiveId, 'one'], queryFn: () => retrieveArchive(archiveId) })
  const add = async ({ text = '', tags }: Record<string, string>) => {
    await createPassage(archiveId, { text, tags: tagsOf(tags) })
    await client.invalidateQueries({ queryKey: ['archives', archiveId] })
  }
  return (
    <Loaded query={archive}>
      {({ name }) => (
        <Page
          title={name}
          actions={<FormDialog open="Add passage" title="New passage" fields={FIELDS} action="Add" submit={add} />}
        >
          <Filters>
            <SearchBox label="Search passages" value={query} onChange={setQuery} />
            <Embedding archiveId={archiveId} />
          </Filters>
          {query ? <SearchColumns archiveId={archiveId} query={query} /> : <Passages archiveId={archiveId} />}
        </Page>
      )}
    </Loaded>
  )
}
