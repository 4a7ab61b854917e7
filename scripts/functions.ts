import type { Node } from '@babel/types'
import { report, sourceFiles } from './files.ts'
import { isTest } from './house.ts'
import { childrenOf, isFunction, statementsOf } from './syntax.ts'

/** A function with more lines than this does two things. */
const LIMIT = 60

/** Functions that are still too long, as `<path> <name>`, to be split. No function may be added here. */
const TO_BE_SPLIT: readonly string[] = [
  'src/app.ts buildApp',
  'src/db/database.ts openDatabase',
  'src/db/jobs.ts openJobs',
  'src/db/lanes.ts createLanes',
  'src/db/links.ts createLinks',
  'src/db/reads.ts createReads',
  'src/db/writes.ts createWrites',
  'src/http/openapi.ts addOpenApi',
  'src/lib/egress.ts createEgress',
  'src/resources/agent-export/export.ts written',
  'src/resources/agent-export/export.ts agentEntry',
  'src/resources/agent-export/held.ts load',
  'src/resources/agent-export/plan.ts planImport',
  'src/resources/agent-export/references.ts referenceFaults',
  'src/resources/agent-export/routes.ts agentExportRoutes',
  'src/resources/agents/core-memory/routes.ts coreMemoryRoutes',
  'src/resources/agents/modify.ts columnsOf',
  'src/resources/agents/routes.ts agentRoutes',
  'src/resources/agents/tools/routes.ts agentToolRoutes',
  'src/resources/blocks/routes.ts blockRoutes',
  'src/resources/groups/routes.ts groupRoutes',
  'src/resources/identities/routes.ts identityRoutes',
  'src/resources/organizations/routes.ts adminRoutes',
  'src/resources/providers/routes.ts providerRoutes',
  'src/resources/templates/project-routes.ts projectTemplateRoutes',
  'src/resources/templates/routes.ts templateRoutes',
  'src/resources/tools/routes.ts toolRoutes',
  'src/resources/tools/source/python-types.ts createPythonTypes',
  'src/resources/tools/source/typescript-types.ts createTypeScriptTypes',
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
