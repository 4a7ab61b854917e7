import type { Node, Statement, VariableDeclaration } from '@babel/types'
import { report, sourceFiles } from './files.ts'
import { isTest } from './house.ts'
import { importsOf } from './imports.ts'
import { isFunction, statementsOf, walk } from './syntax.ts'

/** State that is still made at import, as `<path> <name>`, to be moved. Nothing may be added here. */
const TO_BE_MOVED: readonly string[] = [
  'src/db/compiled-once.ts unfiltered',
  'src/db/compiled-once.ts constants',
  'src/db/compiled-once.ts count',
  'src/db/compiled-once.ts templates',
  'src/db/embedded.ts compiled',
  'src/db/receive.ts received',
  'src/lib/ids.ts random',
  'src/lib/ids.ts drawn',
  'src/lib/sheet.ts blank',
  'src/lib/sheet.ts kept',
  'src/lib/time.ts clocks',
  'src/resources/agents/secrets.ts revealed',
]

/** Methods that change the array, map, set or buffer they are called on. */
const MUTATORS = new Set(
  'add clear copyWithin delete fill pop push reverse set shift sort splice unshift write'.split(' '),
)

/** `const a = …` of the top level, exported or not. */
function declarationIn(statement: Statement): VariableDeclaration | undefined {
  const inner = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
  return inner?.type === 'VariableDeclaration' && !inner.declare ? inner : undefined
}

/** The variable at the root of `a`, `a.b`, `a[0].b`, `a!`. */
function rootOf(node: Node | null | undefined): string | undefined {
  if (node?.type === 'Identifier') return node.name
  if (node?.type === 'MemberExpression') return rootOf(node.object)
  if (node?.type === 'TSNonNullExpression' || node?.type === 'TSAsExpression') return rootOf(node.expression)
  return undefined
}

/** The name whose value a node changes: by an assignment to a part, `delete`, or a mutating method. */
function changedBy(node: Node): string | undefined {
  const part = (target: Node) => (target.type === 'MemberExpression' ? rootOf(target) : undefined)
  if (node.type === 'AssignmentExpression') return part(node.left)
  if (node.type === 'UpdateExpression') return part(node.argument)
  if (node.type === 'UnaryExpression' && node.operator === 'delete') return part(node.argument)
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined
  const { object, property } = node.callee
  if (property.type !== 'Identifier') return undefined
  if (rootOf(object) === 'Object' && property.name === 'assign') return rootOf(node.arguments[0])
  return MUTATORS.has(property.name) ? rootOf(object) : undefined
}

/** Names whose value the functions of a file change. Changes outside of functions fill a constant, once. */
function changedIn(statements: readonly Statement[]): Set<string | undefined> {
  const changed = new Set<string | undefined>()
  for (const statement of statements) {
    walk(statement, (node) => {
      if (isFunction(node)) walk(node, (inner) => changed.add(changedBy(inner)))
    })
  }
  return changed
}

/** Whether an expression allocates a buffer: a buffer without content is there to be written to. */
function allocates(node: Node | null | undefined): boolean {
  if (node?.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return false
  const { object, property } = node.callee
  const [size] = node.arguments
  const empty = size?.type === 'NumericLiteral' && size.value === 0
  return rootOf(object) === 'Buffer' && property.type === 'Identifier' && property.name.startsWith('alloc') && !empty
}

interface Variable {
  path: string
  name: string
  /** Whether its declaration alone makes it state. */
  state: boolean
}

/** The variables of a file's top level. */
const variablesOf = (path: string, statements: readonly Statement[]): Variable[] =>
  statements.flatMap((statement) => {
    const declaration = declarationIn(statement)
    return (declaration?.declarations ?? []).flatMap(({ id, init }) =>
      id.type === 'Identifier'
        ? [{ path, name: id.name, state: declaration!.kind !== 'const' || allocates(init) }]
        : [],
    )
  })

const keyOf = ({ path, name }: { path: string; name: string }) => `${path} ${name}`

/** The variables that functions of any file change, as `<path> <name>`; a local one of the same name counts, too. */
function changedKeys(path: string, text: string, statements: readonly Statement[]): string[] {
  const changed = changedIn(statements)
  const imported = importsOf(path, text).flatMap(({ target, values }) =>
    values.filter((name) => changed.has(name)).map((name) => keyOf({ path: target, name })),
  )
  return [...imported, ...[...changed].map((name) => `${path} ${name}`)]
}

const files = [...sourceFiles()]
  .filter(([path]) => path.startsWith('src/') && !isTest(path))
  .map(([path, text]) => ({ path, text, statements: statementsOf(text) }))
const changed = new Set(files.flatMap(({ path, text, statements }) => changedKeys(path, text, statements)))
const found = files
  .flatMap(({ path, statements }) => variablesOf(path, statements))
  .filter((variable) => variable.state || changed.has(keyOf(variable)))

report('state', [
  ...found
    .filter((variable) => !TO_BE_MOVED.includes(keyOf(variable)))
    .map(
      ({ path, name }) =>
        `${path}: ${name} is state of the module, which all callers in the process share. Make it in a function and ` +
        'take it as an argument; a cache belongs to the object that src/app.ts makes.',
    ),
  ...TO_BE_MOVED.filter((key) => !found.some((variable) => keyOf(variable) === key)).map(
    (key) => `${key} is not state of a module any more. Remove it from TO_BE_MOVED in scripts/state.ts.`,
  ),
])
