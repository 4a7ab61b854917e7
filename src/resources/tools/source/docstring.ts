const SECTION =
  /^(args|arguments|params|parameters|keyword args|keyword arguments|other parameters|attributes|returns?|yields?|raises|examples?|notes?|references|see also|todo|warnings?|warns):\s*$/i
const ENTRIES = /^(args|arguments|params|parameters|keyword args|keyword arguments|other parameters|attributes):/i
const ENTRY = /^\*{0,2}(\w+)\s*(?:\((?:[^()]|\([^()]*\))*\))?\s*:\s*(.*)$/u

export interface Docstring {
  /** The text before the first section. */
  description: string
  /** The entries of `Args:`, `Attributes:` and similar sections, by name. */
  entries: Map<string, string>
}

const indentOf = (line: string) => line.length - line.trimStart().length

function dedent(lines: readonly string[]): string[] {
  const indents = lines.filter((line) => line.trim()).map(indentOf)
  const common = indents.length > 0 ? indents.reduce((least, indent) => Math.min(least, indent)) : 0
  return lines.map((line) => line.slice(common).trimEnd())
}

/** The text without the indentation of the code around it, as of PEP 257. */
export function cleanDocstring(text: string): string {
  const [first = '', ...rest] = text.replaceAll('\t', '        ').split(/\r\n|\r|\n/)
  return [first.trim(), ...dedent(rest)].join('\n').trim()
}

/** The entries of a section: a name, a type in parentheses if wanted, a colon, and a text of one or more lines. */
function readEntries(lines: readonly string[]): [string, string][] {
  const entries: [name: string, first: string, more: string[]][] = []
  for (const line of dedent(lines)) {
    const found = indentOf(line) === 0 ? ENTRY.exec(line) : null
    if (found) entries.push([found[1]!, found[2]!, []])
    else entries.at(-1)?.[2].push(line)
  }
  return entries.map(([name, first, more]) => [name, [first, ...dedent(more)].join('\n').trim()])
}

/** Reads a docstring as of the Google Python Style Guide (3.8). */
export function readDocstring(text: string): Docstring {
  const lines = cleanDocstring(text).split('\n')
  const heads = lines.flatMap((line, index) => (SECTION.test(line) ? [index] : []))
  const entries = heads.flatMap((head, n) => {
    if (!ENTRIES.test(lines[head]!)) return []
    const section = lines.slice(head + 1, heads[n + 1])
    // A section is the indented text below its head, or, without indentation, the text up to a blank line.
    const start = section.findIndex((line) => line.trim())
    if (start < 0) return []
    const indented = indentOf(section[start]!) > 0
    const length = section.slice(start).findIndex((line) => (indented ? /^\S/.test(line) : !line.trim()))
    return readEntries(section.slice(start, length < 0 ? undefined : start + length))
  })
  return { description: lines.slice(0, heads[0]).join('\n').trim(), entries: new Map(entries) }
}
