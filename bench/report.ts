import { availableParallelism } from 'node:os'
import { CONNECTIONS, type Figures } from './measure.ts'

/** What was measured of passages. */
export interface KnowledgeFigures {
  passages: number
  /** Of the ten nearest passages, the share a search by vectors gives. */
  recall_at_10: number
  /** The same among passages with a tag that one in a hundred has. */
  recall_at_10_filtered: number
  /** A hybrid search over HTTP against the same SQL by the bare driver, by their medians. */
  search_p50_ratio: number | null
  inserted_passages_per_second: number | null
  /** Batches of passages over HTTP, embedding included, against the same SQL by the bare driver. */
  insert_ratio: number | null
}

/** Everything that was measured, as the JSON file has it. */
export interface Report extends Partial<KnowledgeFigures> {
  engine: 'embedded' | 'postgres'
  agents: number
  operations: Figures[]
  /** How many times as much the page at position 9,000 costs as the first page: how many fewer are answered in a second. */
  deep_ratio: number | null
  /** The same of 200 agents with all includes and without. */
  includes_ratio_200: number | null
  /** The same of a page of 50 agents under /letta and on the neutral surface. */
  letta_ratio_50: number | null
  /** From the start of the server's process to the end of its first answer, on a database that was open before. */
  warm_start_ms: number
  /** The most memory the server's process held, in MB; null where the system doesn't tell. */
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

function knowledgeRows(report: Report): string[][] {
  if (report.passages === undefined) return []
  return [
    ['passages', String(report.passages)],
    ['recall@10 by vectors', figure(report.recall_at_10, 3)],
    ['recall@10 with a tag of 1 %', figure(report.recall_at_10_filtered, 3)],
    ['hybrid search, p50 against the bare SQL', figure(report.search_p50_ratio, 2)],
    ['passages made in a second, in batches', figure(report.inserted_passages_per_second, 0)],
    ['the same against the bare SQL', figure(report.insert_ratio, 2)],
  ]
}

/** The report as text for people. */
export function describe(report: Report): string {
  const memory = report.rss_mb === null ? 'not known on this system' : `${report.rss_mb.toFixed(0)} MB`
  return `
Cairn on ${report.engine === 'embedded' ? 'the embedded engine' : 'a PostgreSQL server'}: ${report.agents} agents, ${CONNECTIONS} connections, ${availableParallelism()} cores, Node ${process.version}

${table([COLUMNS.map(([title]) => title), ...report.operations.map((figures) => COLUMNS.map(([, show]) => show(figures)))])}

${table([
  ['deep page against the first', figure(report.deep_ratio, 2)],
  ['200 agents: all includes against none', figure(report.includes_ratio_200, 2)],
  ['50 agents: under /letta against the neutral surface', figure(report.letta_ratio_50, 2)],
  ['warm start to the first answer', `${report.warm_start_ms.toFixed(0)} ms`],
  ['peak memory of the server', memory],
  ...knowledgeRows(report),
])}

driver/s: the same SQL by the bare driver, as many at once. http/s: a bare node:http route that answers as many bytes.
limit/s: 1 / (1 / driver + 1 / http). ratio: req/s to that limit. The server logs every request, to a file.
against: how many times as long an answer takes, by the answers in a second.
`
}

const round = (value: number | null, digits: number) => (value === null ? null : Number(value.toFixed(digits)))

/** The report as JSON text, figures rounded to what they are good for. */
export function toJson(report: Report): string {
  const digits = (name: string) => (name === 'ratio' ? 3 : name.endsWith('_ms') ? 2 : 1)
  const operations = report.operations.map((figures) =>
    Object.fromEntries(
      Object.entries(figures).map(([name, value]) => [
        name,
        typeof value === 'number' ? round(value, digits(name)) : value,
      ]),
    ),
  )
  const { deep_ratio, includes_ratio_200, letta_ratio_50, warm_start_ms, rss_mb } = report
  const knowledge = Object.entries(report).flatMap(([name, value]) =>
    /^(recall|search_p50|insert)/.test(name) ? [[name, round(value as number | null, 3)]] : [],
  )
  const rounded = {
    ...report,
    ...Object.fromEntries(knowledge),
    operations,
    deep_ratio: round(deep_ratio, 3),
    includes_ratio_200: round(includes_ratio_200, 3),
    letta_ratio_50: round(letta_ratio_50, 3),
    warm_start_ms: round(warm_start_ms, 0),
    rss_mb: round(rss_mb, 0),
  }
  return `${JSON.stringify(rounded, null, 2)}\n`
}
