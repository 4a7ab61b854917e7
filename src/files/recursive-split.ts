/** How a text is split: `size` and `overlap` in the unit of `lengthOf`; `separators` best first. */
export interface SplitOptions {
  size: number
  overlap: number
  separators: readonly string[]
  lengthOf(text: string): number
}

interface Part {
  text: string
  length: number
}

/** Cuts before each separator, so that the parts put together are the text. */
const partsOf = (text: string, separator: string) => text.split(new RegExp(`(?=${RegExp.escape(separator)})`))

/** Merges consecutive parts into chunks of at most `size`; each chunk repeats the last parts of the one before. */
function* merge(parts: readonly Part[], { size, overlap }: SplitOptions): Generator<string> {
  const window: Part[] = []
  let total = 0
  const chunk = () =>
    window
      .map(({ text }) => text)
      .join('')
      .trim()
  for (const part of parts) {
    if (total + part.length > size && window.length > 0) {
      yield chunk()
      while (total > overlap || (total + part.length > size && total > 0)) total -= window.shift()!.length
    }
    window.push(part)
    total += part.length
  }
  yield chunk()
}

/**
 * Splits a text recursively: at the best separator it contains, and each part that is too long at the next best. Yields
 * trimmed chunks in order, empty ones included. A part without any separator is one chunk, however long.
 */
export function* recursiveSplit(text: string, options: SplitOptions): Generator<string> {
  const { separators, size, lengthOf } = options
  const at = separators.findIndex((separator) => text.includes(separator))
  const rest = { ...options, separators: at < 0 ? [] : separators.slice(at + 1) }
  let short: Part[] = []
  for (const part of at < 0 ? [text] : partsOf(text, separators[at]!)) {
    const length = lengthOf(part)
    if (length < size) {
      short.push({ text: part, length })
      continue
    }
    if (short.length > 0) yield* merge(short, options)
    short = []
    if (at < 0) yield part.trim()
    else yield* recursiveSplit(part, rest)
  }
  if (short.length > 0) yield* merge(short, options)
}
