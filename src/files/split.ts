import { parse } from 'csv-parse/sync'
import { atMost, type Bounds } from './fault.ts'
import { recursiveSplit } from './recursive-split.ts'
import { SEPARATORS } from './separators.ts'
import { tokensOf } from './tokens.ts'
import type { FileType } from './types.ts'

/** The tokens at the end of a chunk that the next chunk repeats. */
const OVERLAP = 50

const isHalf = (code: number) => code >= 0xd800 && code <= 0xdbff

/** Where to cut `text` so that the part from `at` is `length` long, or one more rather than cut a character in two. */
const endOf = (text: string, at: number, length: number) =>
  isHalf(text.charCodeAt(at + length - 1)) ? at + length + 1 : at + length

/** Cuts a text without separators, such as a long line of digits. */
function* cut(text: string, size: number): Generator<string> {
  for (let at = 0; at < text.length; ) {
    let length = Math.min(size * 4, text.length - at)
    for (let tokens = 0; length > 1; length = Math.max(1, Math.floor((length * size) / tokens) - 1)) {
      tokens = tokensOf(text.slice(at, at + length))
      if (tokens <= size) break
    }
    const end = endOf(text, at, length)
    yield text.slice(at, end)
    at = end
  }
}

/** Sections of a text for the splitter, which needs a section in memory: of whole lines where possible. */
function* sectionsOf(text: string, length: number): Generator<string> {
  for (let at = 0; at < text.length; ) {
    let end = at + length
    if (end < text.length) {
      const line = text.lastIndexOf('\n', end)
      end = line > at ? line + 1 : endOf(text, at, length)
    }
    yield text.slice(at, end)
    at = end
  }
}

function* splitText(text: string, type: FileType, size: number): Generator<string> {
  const options = {
    size,
    overlap: Math.min(OVERLAP, Math.floor(size / 4)),
    separators: SEPARATORS[type.language ?? 'plain'],
    // A piece that is certainly too long needs no counting.
    lengthOf: (piece: string) => (piece.length > size * 8 ? piece.length : tokensOf(piece)),
  }
  for (const section of sectionsOf(text, Math.max(50_000, size * 16))) {
    for (const piece of recursiveSplit(section, options)) {
      if (piece.length > size && tokensOf(piece) > size * 1.5) yield* cut(piece, size)
      else yield piece
    }
  }
}

interface Row {
  raw: string
}

/** The text of each row of a table; undefined for a text that can't be parsed as a table. */
function rowsOf(text: string): string[] | undefined {
  try {
    const options = { raw: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true } as const
    // It holds: with `raw`, a row is returned with its text, which the types of the library leave out.
    return (parse(text, options) as unknown as Row[]).map(({ raw }) => raw.trimEnd())
  } catch {
    return undefined
  }
}

/** Chunks of whole rows, each below the row of column names. */
function* splitTable(text: string, type: FileType, size: number): Generator<string> {
  const [head, ...rows] = rowsOf(text) ?? []
  const ofHead = head === undefined ? size : tokensOf(head)
  if (head === undefined || rows.length === 0 || ofHead > size / 2) return yield* splitText(text, type, size)
  let some: string[] = []
  let tokens = ofHead
  for (const row of rows) {
    const ofRow = tokensOf(row) + 1
    if (some.length > 0 && tokens + ofRow > size) {
      yield [head, ...some].join('\n')
      some = []
      tokens = ofHead
    }
    if (ofHead + ofRow > size) {
      for (const piece of splitText(row, type, size - ofHead)) yield `${head}\n${piece}`
    } else {
      some.push(row)
      tokens += ofRow
    }
  }
  if (some.length > 0) yield [head, ...some].join('\n')
}

/**
 * Splits a text into chunks of about `size` tokens (o200k_base) that overlap a little, at the separators of its language. Equal
 * text, type and size give equal chunks. Throws a FileFault for too many chunks.
 */
export function split(text: string, type: FileType, size: number, bounds: Bounds): string[] {
  const chunks: string[] = []
  const pieces = type.format === 'csv' ? splitTable(text, type, size) : splitText(text, type, size)
  for (const piece of pieces) {
    if (piece.trim() === '') continue
    atMost(chunks.push(piece), bounds.chunks, 'passages: a larger embedding_chunk_size of its folder makes fewer')
  }
  return chunks
}
