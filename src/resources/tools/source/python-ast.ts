import type { ExprNode, StmtNode } from 'py-ast'
import { type Docstring, readDocstring } from './docstring.ts'
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
