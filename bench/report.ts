import { availableParallelism } from 'node:os'
import { CONNECTIONS } from './load/load.ts'
import type { Figures } from './measure.ts'

/** The figures of searches and of inserted passages. */
export interface PassageFigures {
  passages: number
  /** The share of the ten nearest passages that a search by vectors finds. */
  recall_at_10: number
  /** The recall among passages with a tag that one in a hundred has. */
  recall_at_10_filtered: number
  /** The median duration of a hybrid search over HTTP, relative to the same SQL by the bare driver. */
  search_p50_ratio: number | null
  inserted_passages_per_second: number | null
  /** Batches of passages per second over HTTP, embedding included, relative to the same SQL by the bare driver. */
  insert_ratio: number | null
}

/** All figures, under the names of the JSON file. */
export interface Report extends Partial<PassageFigures> {
  engine: 'embedded' | 'postgres'
  agents: number
  operations: Figures[]
  /** The cost of the page at position 9,000 relative to the first page, by responses per second. */
  deep_ratio: number | null
  /** The cost of 200 agents with all includes relative to 200 agents without. */
  includes_ratio_200: number | null
  /** The cost of a page of 50 agents under /letta relative to the neutral surface. */
  letta_ratio_50: number | null
  /** From the start of the server process to the end of its first response, on a database that was opened before. */
  warm_start_ms: number
  /** The peak memory of the server process, in MB; null on systems without /proc. */
  rss_mb: number | null
}

const COLUMNS: [title: string, show: (figures: Figures) => string][] = [
  ['operation', ({ name }) => name],
  ['req/s', ({ rps }) => rps.toFixed(0)],
  ['p50 ms', ({ p50_ms }) => p50_ms.toFixed(2)],
  ['p99 ms', ({ p99_ms }) => p99_ms.toFixed(2)],
  ['driver p50', ({ driver_p50_ms }) => driver_p50_ms.toFixed(2)],
  ['driver/s', ({ driver_rps }) => driver_rps.toFixed(0)],
  ['http/s', ({ http_rps }) => http_rps.toFixed(0)],
  ['limit/s', ({ limit_rps }) => limit_rps.toFixed(0)],
  ['ratio', ({ ratio }) => ratio.toFixed(2)],
]

function table(rows: string[][]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const line = (row: string[]) =>
    row.map((cell, n) => (n === 0 ? cell.padEnd(widths[n]!) : cell.padStart(widths[n]!))).join('  ')
  return rows.map(line).join('\n')
}

const figure = (value: number | null | undefined, digits: number) =>
  value === null || value === undefined ? 'not measured' : value.toFixed(digits)

function passageRows(report: Report): string[][] {
  if (report.passages === undefined) return []
  return [
    ['passages', String(report.passages)],
    ['recall@10 by vectors', figure(report.recall_at_10, 3)],
    ['recall@10 with a tag of 1 %', figure(report.recall_at_10_filtered, 3)],
    ['hybrid search: p50 relative to the bare SQL', figure(report.search_p50_ratio, 2)],
    ['passages inserted per second, in batches', figure(report.inserted_passages_per_second, 0)],
    ['passages inserted: relative to the bare SQL', figure(report.insert_ratio, 2)],
  ]
}

/** The report as text for people. */
export function describe(report: Report): string {
  const memory = report.rss_mb === null ? 'not known on this system' : `${report.rss_mb.toFixed(0)} MB`
  return `
Cairn on ${report.engine === 'embedded' ? 'the embedded engine' : 'a PostgreSQL server'}: ${report.agents} agents, ${CONNECTIONS} connections, ${availableParallelism()} cores, Node ${process.version}

${table([COLUMNS.map(([title]) => title), ...report.operations.map((figures) => COLUMNS.map(([, show]) => show(figures)))])}

${table([
  ['deep page: cost relative to the first page', figure(report.deep_ratio, 2)],
  ['200 agents with all includes: cost relative to none', figure(report.includes_ratio_200, 2)],
  ['50 agents under /letta: cost relative to the neutral surface', figure(report.letta_ratio_50, 2)],
  ['warm start to the first response', `${report.warm_start_ms.toFixed(0)} ms`],
  ['peak memory of the server', memory],
  ...passageRows(report),
])}

driver/s: the same SQL by the bare driver, with as many connections. http/s: a bare node:http route with a response of
the same length. limit/s: 1 / (1 / driver + 1 / http). ratio: req/s relative to that limit. The server logs every request
to a file. Costs are relative by responses per second.
`
}
