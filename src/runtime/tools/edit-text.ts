import { ToolError } from '../memory.ts'

/** Line numbers that some prompts show before the lines of a block, and the warning about them. */
const LINE_NUMBER = /(^|\n)\s*Line \d+: |(^|\n)\s*\d+→ /

/** Throws a ToolError for a text that repeats the line numbers of the prompt. */
export function refuseLineNumbers(name: string, value: string): void {
  if (LINE_NUMBER.test(value)) {
    throw new ToolError(
      `The argument "${name}" has line numbers: they are shown in the prompt, and belong to no value.`,
    )
  }
}

/** The most places that an error names. */
const MAX_PLACES = 10

/** The numbers of the first lines on which a part of a text begins. */
function linesOf(text: string, part: string): number[] {
  const lines: number[] = []
  for (let at = text.indexOf(part); at !== -1 && lines.length < MAX_PLACES; at = text.indexOf(part, at + part.length)) {
    lines.push(text.slice(0, at).split('\n').length)
  }
  return lines
}

/** Replaces a part of a block that occurs exactly once. Throws a ToolError for any other part. */
export function replaceOnce(label: string, text: string, old: string, replacement: string): string {
  refuseLineNumbers('old_string', old)
  refuseLineNumbers('new_string', replacement)
  const lines = old === '' ? [] : linesOf(text, old)
  if (lines.length === 0) {
    throw new ToolError(`Nothing was replaced: the memory block "${label}" does not have the text "${old}".`)
  }
  if (lines.length > 1) {
    throw new ToolError(
      `Nothing was replaced: the memory block "${label}" has the text "${old}" more than once, on the lines ` +
        `${lines.join(', ')}${lines.length < MAX_PLACES ? '' : ' …'}. Give more of the text around it.`,
    )
  }
  return text.replace(old, () => replacement)
}

/** The lines of a text: none for an empty one. */
export const toLines = (text: string): string[] => (text === '' ? [] : text.split('\n'))

/** Inserts a text behind line `line` of a block: 0 is before the first line, -1 the end. Throws a ToolError. */
export function insertLines(label: string, text: string, inserted: string, line = -1): string {
  refuseLineNumbers('new_string', inserted)
  const lines = toLines(text)
  if (line < -1 || line > lines.length) {
    throw new ToolError(
      `The block "${label}" has ${lines.length} lines: insert_line must be -1, or 0 to ${lines.length}.`,
    )
  }
  return lines.toSpliced(line === -1 ? lines.length : line, 0, ...inserted.split('\n')).join('\n')
}
