import type { Node } from '@babel/types'
import { report, sourceFiles } from './files.ts'
import { isTest } from './house.ts'
import { childrenOf, isFunction, statementsOf } from './syntax.ts'

/** A function with more lines than this does two things. */
const LIMIT = 60

/** Functions that are still too long, as `<path> <name>`, to be split. No function may be added here. */
const TO_BE_SPLIT: readonly string[] = [
  'src/embed/pinecone.ts pinecone',
  'src/embed/remote.ts createRemoteEmbedder',
  'src/embed/turbopuffer.ts turbopuffer',
  'src/jobs/workers.ts createWorkers',
  'src/lib/egress.ts createEgress',
  'src/resources/archives/passage-routes.ts passageRoutes',
  'src/resources/archives/routes.ts archiveRoutes',
  'src/resources/folders/file-routes.ts folderFileRoutes',
  'src/resources/folders/routes.ts folderRoutes',
  'src/resources/folders/source-file-routes.ts sourceFileRoutes',
  'src/resources/folders/source-routes.ts sourceRoutes',
  'src/resources/groups/routes.ts groupRoutes',
  'src/resources/identities/routes.ts identityRoutes',
  'src/resources/passages/search-statement.ts byVectors',
]

const identifierOf = (node: Node | null | undefined) => (node?.type === 'Identifier' ? node.name : undefined)

/** The name that a declaration, a property or a method gives to the function in it. */
function nameIn(node: Node): string | undefined {
  if (node.type === 'VariableDeclarator' || node.type === 'FunctionDeclaration') return identifierOf(node.id)
  return 'key' in node ? identifierOf(node.key) : undefined
}

/** The lines of every function below a node, by its name: a function without one counts to the function around it. */
function linesOf(node: Node, around: string, found = new Map<string, number>()): Map<string, number> {
  const name = nameIn(node) ?? around
  if (isFunction(node) && node.loc) {
    const lines = node.loc.end.line - node.loc.start.line + 1
    found.set(name, Math.max(lines, found.get(name) ?? 0))
  }
  for (const child of childrenOf(node)) linesOf(child, name, found)
  return found
}

const long = new Map<string, string>()
for (const [path, text] of sourceFiles()) {
  if (!path.startsWith('src/') || isTest(path)) continue
  for (const statement of statementsOf(text)) {
    for (const [name, lines] of linesOf(statement, '(top level)')) {
      if (lines <= LIMIT) continue
      long.set(
        `${path} ${name}`,
        `${path}: ${name} has ${lines} lines; a function has ${LIMIT} at most. Name its parts and move each to a ` +
          'function of its own; routes of one plugin go to several plugins.',
      )
    }
  }
}

report('functions', [
  ...[...long].filter(([name]) => !TO_BE_SPLIT.includes(name)).map(([, finding]) => finding),
  ...TO_BE_SPLIT.filter((name) => !long.has(name)).map(
    (name) => `${name} is not too long any more. Remove it from TO_BE_SPLIT in scripts/functions.ts.`,
  ),
])
