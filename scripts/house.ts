import { matchesGlob } from 'node:path'

/** The lines of the house: a file imports files of its own line or an earlier one. */
export const LINES = [
  'lib',
  'config',
  'db',
  'shapes',
  'outside',
  'resources',
  'runtime',
  'jobs',
  'http',
  'routes',
  'app',
  'main',
] as const

export type Line = (typeof LINES)[number]

/** Which files stand in which line. The first pattern that fits decides. */
const PLACES: readonly (readonly [pattern: string, line: Line])[] = [
  ['src/lib/**', 'lib'],
  ['src/config.ts', 'config'],
  ['src/db/**', 'db'],
  ['src/resources/shapes.ts', 'shapes'],
  ['src/resources/*/{schema,file-schema,table,query,body,links,manager,tool-rules}.ts', 'shapes'],
  ['src/{llm,mcp,sandbox,embed,files}/**', 'outside'],
  ['src/resources/*/*routes.ts', 'routes'],
  ['src/resources/*/**', 'resources'],
  ['src/runtime/**', 'runtime'],
  ['src/jobs/**', 'jobs'],
  ['src/http/**', 'http'],
  ['src/{app,routes,services}.ts', 'app'],
  ['src/{main.ts,cli/**}', 'main'],
]

/** Lines that must not meet although the order would let them. */
export const APART: readonly { line: Line; from: readonly Line[]; because: string }[] = [
  {
    line: 'http',
    from: ['shapes', 'resources', 'runtime', 'jobs'],
    because: 'http knows no resource: hand it in as an argument, from src/app.ts',
  },
]

/** What holds the database of every organization. A resource may name its type, but gets the database as a Scope. */
export const RAW_DATABASE = ['src/db/database.ts', 'src/db/embedded.ts', 'pg', '@electric-sql/pglite'] as const

/** Files that a tool asks to export by default. */
export const DEFAULT_EXPORTS = ['test/global-setup.ts'] as const

export const isTest = (path: string) => path.startsWith('test/') || path.endsWith('.test.ts')

/** The line a source file stands in; undefined for one that has no place in the house. */
export function lineOf(path: string): Line | undefined {
  return PLACES.find(([pattern]) => matchesGlob(path, pattern))?.[1]
}
