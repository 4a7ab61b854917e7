/** The numbered lines in which agents see a file. */

/** How a text is cut into lines: unchanged; without blank lines; also without indentation; or also into sentences. */
type Layout = 'plain' | 'code' | 'data' | 'prose'

/** Layouts by the extension of a file's name, or by the subtype of its media type. */
const WORDS: Record<Exclude<Layout, 'plain'>, string> = {
  // Indentation has a meaning in YAML and the like, too.
  code: `bash bat c cmd cpp cs css dart dockerfile go h hpp html+erb ini java javascript js jsx kt less lua makefile php pl
    powershell ps1 py python r rb rs ruby rust sass scala scss sh sql svelte swift toml ts tsx typescript vue yaml yml`,
  data: 'csv geojson json jsonl ndjson tab-separated-values tsv xml',
  prose: 'htm html markdown md mdx rst xhtml xhtml+xml',
}

const LAYOUTS: ReadonlyMap<string, Layout> = new Map(
  Object.entries(WORDS).flatMap(([layout, words]) => words.split(/\s+/).map((word) => [word, layout as Layout])),
)

/** The name and type of a file, which decide its layout. */
export interface Kind {
  file_name: string
  file_type?: string | null | undefined
}

function layoutOf({ file_name, file_type }: Kind): Layout {
  const ending = /[^./]*$/.exec(file_name.toLowerCase())![0]
  const subtype = /^\w+\/(?:x-)?([^;\s]+)/.exec(file_type?.toLowerCase() ?? '')?.[1] ?? ''
  return LAYOUTS.get(ending) ?? LAYOUTS.get(subtype) ?? 'plain'
}

/** After what ends a sentence, unless the next begins in lower case or a number precedes, as in a list. */
const SENTENCES = /(?<=[^\d\s][.!?…。！？])\s+(?=[^\p{Ll}\s])/gu

function* sentencesOf(line: string): Generator<string> {
  let from = 0
  for (const { 0: gap, index } of line.matchAll(SENTENCES)) {
    yield line.slice(from, index)
    from = index + gap.length
  }
  yield line.slice(from)
}

/** The lines of a text, as agents see them: they are numbered from 1. */
export function* linesOf(text: string, kind: Kind): Generator<string> {
  const layout = layoutOf(kind)
  for (let from = 0; from < text.length; ) {
    const found = text.indexOf('\n', from)
    const end = found < 0 ? text.length : found
    const line = text.slice(from, text[end - 1] === '\r' ? Math.max(from, end - 1) : end)
    from = end + 1
    const kept = layout === 'plain' ? line : layout === 'code' ? line.trimEnd() : line.trim()
    if (layout === 'prose' && kept) yield* sentencesOf(kept)
    else if (layout === 'plain' || kept) yield kept
  }
}

/** The number of lines of a file's text. */
export function countLines(text: string, kind: Kind): number {
  let count = 0
  for (const _ of linesOf(text, kind)) count++
  return count
}

/** A range of lines, counted from 1, both ends included. The defaults are the first and the last line. */
export interface Range {
  start_line?: number | null | undefined
  end_line?: number | null | undefined
}

/**
 * The lines of a text in a range, numbered, up to somewhat more than `size` characters (code points). `filled`: the rest of the
 * text can't change the result.
 */
export function numbered(text: string, kind: Kind, range: Range, size: number): { text: string; filled: boolean } {
  const first = range.start_line ?? 1
  const last = range.end_line ?? Number.POSITIVE_INFINITY
  // A code point has two units at most.
  const enough = 2 * (size + 1)
  const shown: string[] = []
  let length = 0
  let n = 0
  for (const line of linesOf(text, kind)) {
    n++
    if (n < first) continue
    if (n > last) return { text: shown.join('\n'), filled: true }
    const row = `${n}: ${line.length > enough ? line.slice(0, enough) : line}`
    shown.push(row)
    length += row.length + 1
    if (length > enough) return { text: shown.join('\n'), filled: true }
  }
  return { text: shown.join('\n'), filled: false }
}

/** The heading above the lines. `count`: the number of all lines. */
export function headerOf({ start_line, end_line }: Range, count: number | null): string {
  const which = start_line || end_line ? `lines ${start_line ?? 1} to ${end_line ?? 'the end'}` : 'file start'
  return `[Viewing ${which}${count === null ? '' : ` (out of ${count} ${count === 1 ? 'line' : 'lines'})`}]`
}
