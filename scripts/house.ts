import { matchesGlob } from 'node:path'

/** The layers of the source: a file imports files of its own layer or an earlier one. */
export const LAYERS = [
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

export type Layer = (typeof LAYERS)[number]

/** The layer of each file: the first pattern that matches its path decides. */
const PATTERNS: readonly (readonly [pattern: string, layer: Layer])[] = [
  ['src/lib/**', 'lib'],
  ['src/config.ts', 'config'],
  ['src/db/**', 'db'],
  ['src/resources/shapes.ts', 'shapes'],
  ['src/resources/**/{schema,file-schema,snapshot-schema,table,query,body,links,manager,tool-rules}.ts', 'shapes'],
  ['src/{llm,mcp,sandbox,embed,files,telemetry}/**', 'outside'],
  ['src/resources/**/*routes.ts', 'routes'],
  ['src/resources/*/**', 'resources'],
  ['src/runtime/**', 'runtime'],
  ['src/jobs/**', 'jobs'],
  ['src/http/**', 'http'],
  ['src/{app,routes,services}.ts', 'app'],
  ['src/{main.ts,cli/**}', 'main'],
]

/** Layers that must not import each other although their order would allow it. */
export const APART: readonly { layer: Layer; from: readonly Layer[]; because: string }[] = [
  {
    layer: 'http',
    from: ['shapes', 'resources', 'runtime', 'jobs'],
    because: 'http knows no resource: hand it in as an argument, from src/app.ts',
  },
]

/** Modules that open the database of every organization. A resource may name their types, but gets the database as a Scope. */
export const RAW_DATABASE = ['src/db/database.ts', 'src/db/embedded.ts', 'pg', '@electric-sql/pglite'] as const

/** Who reads the environment: the settings, and a program that has an environment of its own in a sandbox. */
export const ENV_READERS = ['src/config.ts', 'src/sandbox/harness.ts'] as const

/** Files whose default export a tool requires. */
export const DEFAULT_EXPORTS = ['test/global-setup.ts'] as const

export const isTest = (path: string) =>
  path.startsWith('test/') || path.endsWith('.test.ts') || path.endsWith('/samples.ts')

/** The resource folder of a file; for a file beside those folders, such as shapes.ts, its own name. */
export const resourceFolderOf = (path: string): string | undefined => /^src\/resources\/([^/]+)/.exec(path)?.[1]

/** The layer of a source file; undefined for a file that no pattern matches. */
export function layerOf(path: string): Layer | undefined {
  return PATTERNS.find(([pattern]) => matchesGlob(path, pattern))?.[1]
}
