import { fileCircleFindings, folderCircleFindings, type Imports } from './circles.ts'
import { report, sourceFiles } from './files.ts'
import { APART, DEFAULT_EXPORTS, ENV_READERS, isTest, LAYERS, type Layer, layerOf, RAW_DATABASE } from './house.ts'
import { codeOf, type Import, importsOf } from './imports.ts'

const RESOURCE_LAYERS: readonly (Layer | undefined)[] = ['shapes', 'resources', 'routes']

/** Imports of a later layer, or of files outside src. */
function orderFindings(path: string, imports: readonly Import[]): string[] {
  if (!path.startsWith('src/') || isTest(path)) return []
  const layer = layerOf(path)
  if (!layer) {
    return [
      `${path} belongs to no layer. Move it to a folder of src/ that has one, or name its layer in scripts/house.ts.`,
    ]
  }
  return imports.flatMap(({ target }) => {
    if (!target.endsWith('.ts')) return []
    if (!target.startsWith('src/')) return [`${path} imports ${target}. What src/ needs lies in src/: move it there.`]
    const other = layerOf(target)
    if (!other) return []
    const apart = APART.find((rule) => rule.layer === layer && rule.from.includes(other))
    if (apart) return [`${path} (${layer}) imports ${target} (${other}): ${apart.because}.`]
    if (LAYERS.indexOf(other) <= LAYERS.indexOf(layer)) return []
    return [
      `${path} (${layer}) imports ${target} (${other}), a later layer of: ${LAYERS.join(' · ')}. ` +
        `Move the code it needs to ${layer} or earlier, or let the caller hand it in as an argument.`,
    ]
  })
}

/** The database of every organization, taken by a resource. */
function databaseFindings(path: string, imports: readonly Import[]): string[] {
  if (isTest(path) || !RESOURCE_LAYERS.includes(layerOf(path))) return []
  return imports
    .filter(({ typeOnly, target, values }) => {
      if (typeOnly) return false
      const raw = RAW_DATABASE.some((name) => target === name || target.startsWith(`${name}/`))
      return raw || (target === 'kysely' && values.includes('Kysely'))
    })
    .map(
      ({ target }) =>
        `${path} takes from ${target} what opens the database of every organization. Take a Scope (src/db/scope.ts) as ` +
        'the first argument; where its verbs fall short, `scope.query` runs a statement of your own.',
    )
}

/** Forms and names the project does without. */
function styleFindings(path: string, text: string, imports: readonly Import[]): string[] {
  const code = codeOf(text)
  const findings: string[] = []
  const barrel = imports.some(({ reExport }) => reExport) && path.endsWith('/index.ts')
  if (barrel || /^export\s+\*/m.test(code)) {
    findings.push(`${path} passes on what other files export. Import from the file that defines it.`)
  }
  const excused = (DEFAULT_EXPORTS as readonly string[]).includes(path)
  if (!excused && /^export\s+(default\b|\{[^}]*\bas\s+default\b)/m.test(code)) {
    findings.push(`${path} exports by default. Give the export its name, so that it is called the same everywhere.`)
  }
  if (/(^|[/._-])(utils?|helpers?)([/._-]|$)/i.test(path)) {
    findings.push(
      `${path} is named after nothing. Name the file after what it does, or put the function where it is used.`,
    )
  }
  const readsEnv =
    /\bprocess\.env\b/.test(code) ||
    imports.some(({ target, values }) => target === 'node:process' && values.includes('env'))
  const mayRead = (ENV_READERS as readonly string[]).includes(path) || isTest(path)
  if (readsEnv && path.startsWith('src/') && !mayRead) {
    findings.push(`${path} reads process.env. Read the setting in src/config.ts and take it as an argument.`)
  }
  return findings
}

const files = sourceFiles()
const imports: Imports = new Map([...files].map(([path, text]) => [path, importsOf(path, text)]))
report('boundaries', [
  ...[...imports].flatMap(([path, taken]) => [
    ...orderFindings(path, taken),
    ...databaseFindings(path, taken),
    ...styleFindings(path, files.get(path)!, taken),
  ]),
  ...fileCircleFindings(imports),
  ...folderCircleFindings(imports),
])
