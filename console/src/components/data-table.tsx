import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, type ReactNode, useEffect, useRef } from 'react'
import type { List } from '../api/use-list.ts'
import { cn } from './class-names.ts'
import { ErrorState, LoadingState } from './states.tsx'

export interface Column<Row> {
  header: string
  cell: (row: Row) => ReactNode
  /** Tailwind classes of the cells: a width, an alignment, `hidden md:table-cell` for less important columns. */
  className?: string
}

interface Props<Row> {
  label: string
  columns: Column<Row>[]
  list: List<Row>
  rowKey: (row: Row) => string
  empty: ReactNode
}

const ROW_HEIGHT = 40

/** An unseen row that takes the room of rows which aren't rendered. */
const Spacer = ({ height }: { height: number }) => (height > 0 ? <tr aria-hidden style={{ height }} /> : null)

/** The cells of a row. */
function RowCells<Row>({ row, columns }: { row: Row; columns: Column<Row>[] }): ReactNode {
  return columns.map(({ header, cell, className }) => (
    <td key={header} className={cn('h-10 truncate border-b px-3 py-0', className)}>
      {cell(row)}
    </td>
  ))
}

/** As `RowCells`, rendered again for another resource or other columns alone: not whenever the table is scrolled. */
const Cells = memo(RowCells) as typeof RowCells

/**
 * A list as a table that fills the rest of the page. It renders the visible rows only, and loads the next page before the last
 * row is reached.
 */
export function DataTable<Row>({ label, columns, list, rowKey, empty }: Props<Row>) {
  const scroller = useRef<HTMLDivElement>(null)
  const { rows, hasMore, isLoadingMore, loadMore } = list
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)
  const nearEnd = last !== undefined && last.index >= rows.length - 20
  useEffect(() => {
    if (nearEnd && hasMore && !isLoadingMore) loadMore()
  }, [nearEnd, hasMore, isLoadingMore, loadMore])

  if (list.error) return <ErrorState error={list.error} retry={list.retry} />
  if (list.isLoading) return <LoadingState />
  if (rows.length === 0) return empty
  return (
    <section
      ref={scroller}
      aria-label={label}
      className="min-h-0 flex-1 overflow-auto rounded-lg border bg-card"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the table
      tabIndex={0}
    >
      <table
        className="w-full table-fixed border-separate border-spacing-0"
        aria-rowcount={hasMore ? -1 : rows.length + 1}
      >
        <thead className="sticky top-0 z-10 bg-muted">
          <tr aria-rowindex={1}>
            {columns.map(({ header, className }) => (
              <th
                key={header}
                scope="col"
                className={cn('h-8 border-b px-3 text-left font-medium text-muted-foreground text-xs', className)}
              >
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer height={items[0]?.start ?? 0} />
          {items.map(({ index }) => {
            const row = rows[index]!
            return (
              <tr key={rowKey(row)} aria-rowindex={index + 2} className="h-10 hover:bg-muted/60">
                <Cells row={row} columns={columns} />
              </tr>
            )
          })}
          <Spacer height={virtual.getTotalSize() - (last?.end ?? 0)} />
        </tbody>
      </table>
    </section>
  )
}
