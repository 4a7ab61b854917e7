import type { Node } from '@babel/types'
import { report, sourceFiles } from './files.ts'
import { isTest } from './house.ts'
import { childrenOf, isFunction, statementsOf } from './syntax.ts'

/** A function with more lines than this does two things. */
const LIMIT = 60

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

const findings: string[] = []
for (const [path, text] of sourceFiles()) {
  if (!path.startsWith('src/') || isTest(path)) continue
  for (const statement of statementsOf(text)) {
    for (const [name, lines] of linesOf(statement, '(top level)')) {
      if (lines <= LIMIT) continue
      findings.push(
        `${path}: ${name} has ${lines} lines; a function has ${LIMIT} at most. Name its parts and move each to a ` +
          'function of its own; routes of one plugin go to several plugins.',
      )
    }
  }
}

report('functions', findings)
