import { posix } from 'node:path'

export interface Import {
  /** A path from the root, or the name of a package. */
  target: string
  /** Whether the import is of types only. */
  typeOnly: boolean
  /** The names taken, without those marked `type`. */
  values: string[]
  reExport: boolean
}

const STATEMENT = /^(import|export)\s+(type\s+)?(?:([\w$*{},\s]+?)\s+from\s+)?['"]([^'"\n]+)['"]/gm
const DYNAMIC = /\bimport\(\s*['"]([^'"\n]+)['"]\s*\)(\.\w)?/g

/** The text without its comments that fill whole lines, so that prose is not read as code. */
export const codeOf = (text: string) => text.replace(/^\s*(\/\/.*|\/\*[\s\S]*?\*\/)/gm, '')

function namesIn(clause: string): string[] {
  return clause
    .replace(/[{}]/g, ',')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.split(/\s+as\s+/)[0]!)
}

/** The imports and re-exports of a file, with paths from the root. */
export function importsOf(path: string, text: string): Import[] {
  const code = codeOf(text)
  const resolve = (name: string) => (name.startsWith('.') ? posix.join(posix.dirname(path), name) : name)
  const statements = [...code.matchAll(STATEMENT)].map(([, keyword, type, clause, name]) => ({
    target: resolve(name!),
    typeOnly: type !== undefined,
    values: type ? [] : namesIn(clause ?? ''),
    reExport: keyword === 'export',
  }))
  // `import('./a.ts').A` is a type; `await import('./a.ts')` is not.
  const dynamic = [...code.matchAll(DYNAMIC)].map(([, name, member]) => ({
    target: resolve(name!),
    typeOnly: member !== undefined,
    values: [],
    reExport: false,
  }))
  return [...statements, ...dynamic]
}
