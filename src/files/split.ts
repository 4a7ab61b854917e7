import { parse } from 'csv-parse/sync'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { atMost, type Bounds } from './fault.ts'
import { recursiveSplit } from './recursive-split.ts'
import { SEPARATORS } from './separators.ts'
import type { FileType } from './types.ts'

/** How much of a piece stands at the beginning of the next too, in tokens. */
const OVERLAP = 50

/** Counting takes longer than linear time over one long word. */
const COUNTED_AT_ONCE = 1_000

/** Text of the special tokens is text like any other. */
const PLAIN = { disallowedSpecial: new Set<string>() }

function tokensOf(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at += COUNTED_AT_ONCE) {
    count += countTokens(text.slice(at, at + COUNTED_AT_ONCE), PLAIN)
  }
  return count
}

const isHalf = (code: number) => code >= 0xd800 && code <= 0xdbff

/** Where to cut `text` so that the part from `at` is `length` long, or one more rather than cut a character in two. */
const endOf = (text: string, at: number, length: number) =>
  isHalf(text.charCodeAt(at + length - 1)) ? at + length + 1 : at + length

/** Cuts what offers no place to cut, such as a long line of digits. */
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

/** Sections for the splitter, which takes a text in at once: whole lines where there are any. */
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
    // What is certainly too long needs no counting.
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

/** The rows of a table as they are written, or undefined where it can't be read as one. */
function rowsOf(text: string): string[] | undefined {
  try {
    const options = { raw: true, relax_column_count: true, relax_quotes: true, skip_empty_lines: true } as const
    // It holds: with `raw`, a row is returned with its text, which the types of the library leave out.
    return (parse(text, options) as unknown as Row[]).map(({ raw }) => raw.trimEnd())
  } catch {
    return undefined
  }
}

/** Whole rows, each piece of them under the heads of the columns. */
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
 * Cuts a text into pieces of about `size` tokens (o200k_base) that overlap a little, where its kind has the best places
 * to cut: the same text, type and size give the same pieces. Throws a FileFault where there would be too many.
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
