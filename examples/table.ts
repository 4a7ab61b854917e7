/** A column: its title, and the value it shows of a row. A fixed column is never shortened. */
export interface Column<Row> {
  title: string
  show: (row: Row) => unknown
  fixed?: boolean
}

const GAP = 2
const NARROWEST = 8

/** The value as one line, without control characters, which could change the terminal. */
const oneLine = (value: unknown) =>
  String(value ?? '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()

const length = (text: string) => [...text].length

/** The text, shortened to `width` characters with an ellipsis if it is longer. */
export function shorten(text: string, width: number): string {
  const characters = [...text]
  return characters.length <= width ? text : `${characters.slice(0, Math.max(width - 1, 0)).join('')}…`
}

/** Rows under their titles, in aligned columns. Lines have at most `width` characters if the fixed columns allow it. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string {
  const cells = rows.map((row) => columns.map((column) => oneLine(column.show(row))))
  const lines = [columns.map((column) => column.title), ...cells]
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => length(line[i]!))))

  const tooWide = () => widths.reduce((sum, w) => sum + w + GAP, -GAP) > width
  while (tooWide()) {
    const candidates = widths.map((w, i) => (columns[i]!.fixed ? 0 : w))
    const widest = Math.max(...candidates)
    if (widest <= NARROWEST) break
    widths[candidates.indexOf(widest)]! -= 1
  }

  const pad = (text: string, w: number) => text + ' '.repeat(w - length(text))
  return lines
    .map((line) =>
      line
        .map((cell, i) => pad(shorten(cell, widths[i]!), widths[i]! + GAP))
        .join('')
        .trimEnd(),
    )
    .join('\n')
}
