import { type ParseResult, parse } from '@babel/parser'
import type * as t from '@babel/types'
import { readJsDoc } from './jsdoc.ts'
import { type Parameter, type Signature, UnreadableSource, type Value } from './signature.ts'
import { createTypeScriptTypes, placeOf } from './typescript-types.ts'

type Callable = t.FunctionDeclaration | t.FunctionExpression | t.ArrowFunctionExpression

interface Found {
  name: string
  node: Callable
  /** The statement the comment stands before. */
  statement: t.Statement
  exported: boolean
}

/** The syntax tree of a source. */
function parseProgram(source: string): ParseResult['program'] {
  try {
    return parse(source, { sourceType: 'module', plugins: ['typescript', 'decorators'] }).program
  } catch (error) {
    const { loc, message } = error as Error & { loc?: { line: number; column: number } }
    if (!loc) throw error
    const place = { line: loc.line, column: loc.column + 1 }
    throw new UnreadableSource({ place, message: message.replace(/\s*\(\d+:\d+\)$/, '') })
  }
}

const isCallable = (node: t.Node | null | undefined): node is t.FunctionExpression | t.ArrowFunctionExpression =>
  node?.type === 'FunctionExpression' || node?.type === 'ArrowFunctionExpression'

/** The functions a statement defines: `function f() {}`, `const f = () => {}`, either of them exported. */
function functionsIn(statement: t.Statement, outer = statement, exported = false): Found[] {
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

/** The names exported apart from their definition: `export { f }`, `export default f`. */
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

/**
 * The last exported function of a TypeScript source, or the last one at its top level where none is exported: its name,
 * what its JSDoc says, and the types of its parameters. One with `?` or a default may be left out.
 */
export function readTypeScript(source: string): Signature {
  const { body } = parseProgram(source)
  const names = exportedNames(body)
  const functions = body.flatMap((statement) => functionsIn(statement))
  const tool = functions.findLast(({ exported, name }) => exported || names.has(name)) ?? functions.at(-1)
  if (!tool) throw new UnreadableSource({ message: 'no function is defined at the top level' })
  const doc = readJsDoc(tool.statement.leadingComments?.at(-1)?.value)
  const types = createTypeScriptTypes(body)

  const parameters = tool.node.params.flatMap((param): Parameter[] => {
    const given = param.type === 'AssignmentPattern' ? param.left : param
    const fallback = param.type === 'AssignmentPattern' ? param.right : undefined
    // What comes after the others, and what a call is made on, can't be given by name.
    if (given.type === 'RestElement' || (given.type === 'Identifier' && given.name === 'this')) return []
    const place = placeOf(given)
    if (given.type !== 'Identifier') {
      throw new UnreadableSource({ place, message: 'a parameter must have a name: take it apart inside the function' })
    }
    const { name, typeAnnotation, optional } = given
    return [
      {
        name,
        place,
        description: doc.params.get(name),
        value(): Value {
          const members = new Map(
            [...doc.params].flatMap(([path, text]) =>
              path.startsWith(`${name}.`) ? [[path.slice(name.length + 1), text] as const] : [],
            ),
          )
          const value =
            typeAnnotation?.type === 'TSTypeAnnotation'
              ? types.typeOf(typeAnnotation.typeAnnotation, members)
              : fallback && types.typeOfLiteral(fallback)
          if (!value) throw new UnreadableSource({ place, message: `parameter ${name} has no type` })
          return { ...value, optional: value.optional || optional === true || fallback !== undefined }
        },
      },
    ]
  })
  return {
    name: tool.name,
    place: placeOf(tool.statement),
    description: doc.description,
    parameters,
    described: { whole: 'a JSDoc comment before it must say what it does', parameter: 'a @param of the JSDoc comment' },
  }
}
