import type { ClassDef, ExprNode, Module, StmtNode } from 'py-ast'
import { type Docstring, readDocstring } from './docstring.ts'
import { createGuard, type Guard } from './guard.ts'
import type { JsonSchema, Value } from './json-schema.ts'
import type { Position } from './signature.ts'

/** A node, or an error of the parser, with its position: lines count from 1, columns from 0. */
export interface Located {
  lineno?: number | undefined
  col_offset?: number | undefined
}

/** The position of a node. */
export const positionOf = ({ lineno, col_offset }: Located): Position => ({
  line: lineno ?? 1,
  column: (col_offset ?? 0) + 1,
})

/** The text of a string literal, or undefined. `...` differs from a string in that it has no quotation marks. */
export const textOf = (node: ExprNode | undefined): string | undefined =>
  node?.nodeType === 'Constant' && node.quote_style !== undefined && !/b/i.test(node.quote_style)
    ? node.value
    : undefined

/** Whether an expression is `...`. */
export const isEllipsis = (node: ExprNode | undefined) =>
  node?.nodeType === 'Constant' && node.value === '...' && node.quote_style === undefined

/** The docstring of a function or a class. */
export function docstringOf({ body: [first] }: { body: readonly StmtNode[] }): Docstring {
  return readDocstring((first?.nodeType === 'Expr' && textOf(first.value)) || '')
}

/** The last part of a dotted name: `typing.List` and `List` have the same name. */
export function nameOf(node: ExprNode): string | undefined {
  if (node.nodeType === 'Name') return node.id
  if (node.nodeType === 'Attribute') return node.attr
  if (node.nodeType === 'Constant' && node.value === null) return 'None'
  return undefined
}

/** `Name[first, second]` as its name and the expressions in the brackets. */
export function partsOf(node: ExprNode): { name: string | undefined; inner: ExprNode[] } {
  if (node.nodeType !== 'Subscript') return { name: nameOf(node), inner: [] }
  const { slice } = node
  return { name: nameOf(node.value), inner: slice.nodeType === 'Tuple' ? slice.elts : [slice] }
}

/** The named arguments of a call of `Field` (pydantic) or `field` (dataclasses), and its first argument. */
export function fieldCall(node: ExprNode | undefined) {
  if (node?.nodeType !== 'Call' || !['Field', 'field'].includes(nameOf(node.func) ?? '')) return undefined
  return { first: node.args[0], named: new Map(node.keywords.map(({ arg, value }) => [arg, value])) }
}

/** Translates type hints. */
export interface HintReader {
  /** The schema of the values of a hint. Throws UnreadableSource for a type that JSON can't represent. */
  schemaOf(hint: ExprNode, position: Position): JsonSchema
  /** The values of a parameter or a field: one that may be None may be left out instead. */
  typeOf(hint: ExprNode): Value
}

/** The definitions at the top level of a module, for translating type hints that name them. */
export interface PythonModule extends Guard {
  classes: ReadonlyMap<string, ClassDef>
  /** Names of types, and their hints. */
  aliases: ReadonlyMap<string, ExprNode>
  /** The original name of a name that the module may have imported under another. */
  originalName(name: string | undefined): string | undefined
}

/** Collects the definitions of a module. */
export function readModule({ body }: Module): PythonModule {
  const classes = new Map<string, ClassDef>()
  const aliases = new Map<string, ExprNode>()
  const imported = new Map<string, string>()
  for (const node of body) {
    if (node.nodeType === 'ClassDef') classes.set(node.name, node)
    if (node.nodeType === 'Assign' && node.targets.length === 1) {
      const [target] = node.targets
      if (target?.nodeType === 'Name') aliases.set(target.id, node.value)
    }
    if (node.nodeType === 'AnnAssign' && node.target.nodeType === 'Name' && node.value) {
      aliases.set(node.target.id, node.value)
    }
    if (node.nodeType === 'TypeAlias' && node.name.nodeType === 'Name') aliases.set(node.name.id, node.value)
    if (node.nodeType === 'ImportFrom') {
      for (const { name, asname } of node.names) if (asname) imported.set(asname, name)
    }
  }
  const originalName = (name: string | undefined) => (name === undefined ? undefined : (imported.get(name) ?? name))
  return { classes, aliases, originalName, ...createGuard() }
}
