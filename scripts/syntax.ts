import { parse } from '@babel/parser'
import type { Node, Statement } from '@babel/types'

/** The top-level statements of a TypeScript file. Throws for a file that is not valid TypeScript. */
export const statementsOf = (text: string): Statement[] =>
  parse(text, { sourceType: 'module', plugins: ['typescript'] }).program.body

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

/** The nodes directly below a node, in the order of the text. */
export const childrenOf = (node: Node): Node[] =>
  Object.values(node)
    .flat()
    .filter((value) => isNode(value))

/** Calls `visit` for a node and every node below it, parents first. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node)
  for (const child of childrenOf(node)) walk(child, visit)
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  'ArrowFunctionExpression',
  'ClassMethod',
  'ClassPrivateMethod',
  'FunctionDeclaration',
  'FunctionExpression',
  'ObjectMethod',
])

export const isFunction = ({ type }: Node) => FUNCTIONS.has(type)
