import { useQueryClient } from '@tanstack/react-query'
import { type Block, createBlock, deleteBlock, listBlocks } from '../../api/generated.ts'
import { useList } from '../../api/use-list.ts'
import { BlockHistory } from '../../components/block-history/block-history.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { DeleteButton } from '../../components/delete-button.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { formatNumber } from '../../components/quantities.ts'
import { SearchBox } from '../../components/search-box.tsx'
import { EmptyState } from '../../components/states.tsx'
import { useFilter } from '../../components/use-filter.ts'
import { Filters, Page } from '../../layout/page.tsx'
import { EditBlock } from './edit-block.tsx'

const COLUMNS: Column<Block>[] = [
  { header: 'Label', cell: (block) => <EditBlock block={block} />, className: 'w-32 md:w-48' },
  { header: 'Value', cell: ({ value }) => <span title={value}>{value}</span> },
  {
    header: 'Characters',
    cell: ({ value, limit }) => `${formatNumber([...value].length)} of ${formatNumber(limit)}`,
    className: 'hidden md:table-cell w-40 tabular-nums',
  },
  {
    header: '',
    cell: (block) => (
      <>
        <BlockHistory block={block} />
        <DeleteButton
          what={`the block ${block.label}`}
          body="Every agent that has the block loses it."
          remove={() => deleteBlock(block.id!)}
          changes={[['blocks']]}
        />
      </>
    ),
    className: 'w-18',
  },
]

const FIELDS = [
  { name: 'label', label: 'Label', description: 'Such as human or persona.' },
  { name: 'value', label: 'Value', kind: 'long' },
  { name: 'description', label: 'Description', description: 'What agents use the block for.', optional: true },
] as const

/** All memory blocks, searched by label and by value. */
export function BlocksPage() {
  const [label, setLabel] = useFilter('label')
  const [value, setValue] = useFilter('value')
  const filters = { ...(label && { labelSearch: label }), ...(value && { valueSearch: value }) }
  const list = useList<Block>(['blocks', filters], (page, options) => listBlocks({ ...filters, ...page }, options))
  const client = useQueryClient()
  const create = async ({ label = '', value = '', ...more }: Record<string, string>) => {
    await createBlock({ label, value, ...more })
    await client.invalidateQueries({ queryKey: ['blocks'] })
  }
  return (
    <Page
      title="Blocks"
      actions={<FormDialog open="New block" title="New block" fields={FIELDS} action="Create" submit={create} />}
    >
      <Filters>
        <SearchBox label="Search labels" value={label} onChange={setLabel} />
        <SearchBox label="Search values" value={value} onChange={setValue} />
      </Filters>
      <DataTable
        label="Blocks"
        columns={COLUMNS}
        list={list}
        rowKey={({ id = '' }) => id}
        empty={<EmptyState title="No blocks here">A block is a part of an agent’s memory.</EmptyState>}
      />
    </Page>
  )
}
