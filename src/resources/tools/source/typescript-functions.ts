import { type ParseResult, parse } from '@babel/parser'
import type * as t from '@babel/types'
import { UnreadableSource } from './signature.ts'

type Callable = t.FunctionDeclaration | t.FunctionExpression | t.ArrowFunctionExpression

/** A function of a program. */
export interface ProgramFunction {
  name: string
  node: Callable
  /** The statement that the comment precedes. */
  statement: t.Statement
  exported: boolean
}

/** The syntax tree of a source. Throws UnreadableSource with the position of a syntax error. */
export function parseProgram(source: string): ParseResult['program'] {
  try {
    return parse(source, { sourceType: 'module', plugins: ['typescript', 'decorators'] }).program
  } catch (error) {
    const { loc, message } = error as Error & { loc?: { line: number; column: number } }
    if (!loc) throw error
    const position = { line: loc.line, column: loc.column + 1 }
    throw new UnreadableSource({ position, message: message.replace(/\s*\(\d+:\d+\)$/, '') })
  }
}

const isCallable = (node: t.Node | null | undefined): node is t.FunctionExpression | t.ArrowFunctionExpression =>
  node?.type === 'FunctionExpression' || node?.type === 'ArrowFunctionExpression'

/** The functions that a statement defines: `function f() {}`, `const f = () => {}`, exported or not. */
function functionsIn(statement: t.Statement, outer = statement, exported = false): ProgramFunction[] {
  switch (statement.type) {
    case 'FunctionDeclaration':
      return statement.id ? [{ name: statement.id.name, node: statement, statement: outer, exported }] : []
    case 'VariableDeclaration':
      return statement.declarations.flatMap(({ id, init }) =>
        id.type === 'Identifier' && isCallable(init) ? [{ name: id.name, node: init, statement: outer, exported }] : [],
      )
    case 'ExportNamedDeclaration':
      return statement.declaration ? functionsIn(statement.declaration, outer, true) : []
    case 'ExportDefaultDeclaration':
      return statement.declaration.type === 'FunctionDeclaration' ? functionsIn(statement.declaration, outer, true) : []
    default:
      return []
  }
}

/** The names that a statement other than their definition exports: `export { f }`, `export default f`. */
function exportedNames(body: readonly t.Statement[]): Set<string> {
  return new Set(
    body.flatMap((statement) => {
      if (statement.type === 'ExportDefaultDeclaration' && statement.declaration.type === 'Identifier') {
        return [statement.declaration.name]
      }
      if (statement.type !== 'ExportNamedDeclaration') return []
      return statement.specifiers.flatMap((one) =>
        one.type === 'ExportSpecifier' && one.local.type === 'Identifier' ? [one.local.name] : [],
      )
    }),
  )
}

/** The names of the functions at the top level of a TypeScript source. Throws UnreadableSource. */
export const typeScriptFunctions = (source: string) =>
  parseProgram(source)
    .body.flatMap((statement) => functionsIn(statement))
    .map(({ name }) => name)

/** The last exported function at the top level of a program, or the last one if none is exported. */
export function toolFunction(body: readonly t.Statement[]): ProgramFunction {
  const names = exportedNames(body)
  const functions = body.flatMap((statement) => functionsIn(statement))
  const tool = functions.findLast(({ exported, name }) => exported || names.has(name)) ?? functions.at(-1)
  if (!tool) throw new UnreadableSource({ message: 'no function is defined at the top level' })
  return tool
}
