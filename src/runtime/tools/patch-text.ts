import { ToolError } from '../memory.ts'
import { toLines } from './edit-text.ts'

/** A part of a patch: lines that stand in the text one behind the other, and those in their place. */
interface Hunk {
  old: string[]
  replacement: string[]
}

/** The most hunks of a patch: each is looked for in the whole text. */
const MAX_HUNKS = 100

/** The hunks of a patch in the manner of a unified diff. Throws a ToolError for a line that is no line of a patch. */
function hunksOf(lines: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [{ old: [], replacement: [] }]
  for (const line of lines) {
    const hunk = hunks.at(-1)!
    const [mark = ' ', rest] = [line[0], line.slice(1)]
    if (line.startsWith('@@')) hunks.push({ old: [], replacement: [] })
    else if (mark === ' ' || mark === '-' || mark === '+') {
      if (mark !== '+') hunk.old.push(rest)
      if (mark !== '-') hunk.replacement.push(rest)
    } else if (!line.startsWith('\\')) {
      throw new ToolError(`The line "${line}" of the patch begins with neither a space nor "-", "+" or "@@".`)
    }
  }
  const changes = hunks.filter(({ old, replacement }) => old.length + replacement.length > 0)
  if (changes.length > MAX_HUNKS) throw new ToolError(`A patch of a block has at most ${MAX_HUNKS} parts.`)
  return changes
}

/** The indexes at which lines stand in a text one behind the other. */
const placesOf = (lines: readonly string[], wanted: readonly string[]) =>
  lines.flatMap((_, at) => (wanted.every((line, n) => lines[at + n] === line) ? [at] : []))

/**
 * Applies a patch to the text of a block: the lines that each hunk removes or leaves stand in the text exactly once. A hunk
 * that only adds lines adds them at the end. Throws a ToolError that names the hunk.
 */
export function applyHunks(label: string, text: string, patch: readonly string[]): string {
  const hunks = hunksOf(patch)
  if (hunks.length === 0) throw new ToolError('The patch changes nothing: it has no lines with "-" or "+".')
  return hunks
    .reduce((lines, { old, replacement }, n) => {
      if (old.length === 0) return lines.concat(replacement)
      const places = placesOf(lines, old)
      if (places.length !== 1) {
        const found = places.length === 0 ? 'does not have its lines' : `has its lines ${places.length} times`
        throw new ToolError(
          `Nothing was changed: the memory block "${label}" ${found} (part ${n + 1} of the patch: "${old.join('\n')}").`,
        )
      }
      return lines.toSpliced(places[0]!, old.length, ...replacement)
    }, toLines(text))
    .join('\n')
}
