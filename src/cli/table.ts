import stringWidth from 'string-width'
import type { Cli } from './cli.ts'

/** A column of a table: its title, and the cell of a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => unknown>>

const cellOf = (value: unknown) => String(value ?? '').replace(/\s+/g, ' ')

/** A text on one line of at most `width` characters. */
export function folded(text: string, width: number): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return [...line].length > width ? `${[...line].slice(0, width - 1).join('')}…` : line
}

/** Lines of aligned columns. The last column is not padded. */
function aligned(lines: readonly (readonly string[])[]): string[] {
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((cells) => stringWidth(cells[column]!))))
  const padded = (cell: string, column: number) => cell + ' '.repeat(widths[column]! - stringWidth(cell))
  return lines.map((cells) => cells.map(padded).join('  ').trimEnd())
}

/** A table with its titles, dimmed. */
export function table<Row>(cli: Cli, rows: readonly Row[], columns: Columns<Row>): string {
  const cells = rows.map((row) => Object.values(columns).map((cell) => cellOf(cell(row))))
  const [titles, ...lines] = aligned([Object.keys(columns), ...cells])
  return [cli.style('dim', titles!), ...lines].join('\n')
}

/** Writes the rows of a list: as a table, or with `--json` as an array, row by row as they come. */
export async function showRows<Row>(cli: Cli, rows: AsyncIterable<Row> | Iterable<Row>, columns: Columns<Row>) {
  const kept: Row[] = []
  let count = 0
  for await (const row of rows) {
    if (cli.json) cli.print(`${count === 0 ? '[' : ','}${JSON.stringify(row)}`)
    else kept.push(row)
    count++
  }
  if (cli.json) cli.print(count === 0 ? '[]' : ']')
  else if (count > 0) cli.print(table(cli, kept, columns))
  else cli.note('None.')
}
