import { type ExprNode, parse } from 'py-ast'
import type { JsonSchema } from './json-schema.ts'
import { fieldCall, type PythonModule, partsOf, positionOf, textOf } from './python-module.ts'
import { type Position, UnreadableSource } from './signature.ts'

/** The types without parameters, by name. */
export const PLAIN: ReadonlyMap<string, JsonSchema> = new Map<string, JsonSchema>([
  ['str', { type: 'string' }],
  ['int', { type: 'integer' }],
  ['float', { type: 'number' }],
  ['bool', { type: 'boolean' }],
  ['None', { type: 'null' }],
  ['Any', {}],
  ['object', {}],
  ['datetime', { type: 'string', format: 'date-time' }],
  ['date', { type: 'string', format: 'date' }],
  ['time', { type: 'string', format: 'time' }],
  ['UUID', { type: 'string', format: 'uuid' }],
])

/** Types that qualify the type in their brackets. */
const WRAPPERS = ['Annotated', 'Required', 'NotRequired', 'ReadOnly', 'Final']

/** The hint itself, of one in quotation marks. */
export function unquoted(node: ExprNode): ExprNode {
  const text = textOf(node)
  if (text === undefined) return node
  try {
    const [statement] = parse(`(${text})`).body
    if (statement?.nodeType === 'Expr' && textOf(statement.value) === undefined) return statement.value
  } catch (error) {
    if (error instanceof RangeError) throw error
  }
  throw new UnreadableSource({ position: positionOf(node), message: `"${text}" is not a type hint` })
}

/** The members of a union in any notation; any other type is its own only member. */
export function unionMembers(module: PythonModule, hint: ExprNode, position: Position): ExprNode[] {
  const members = (one: ExprNode) => unionMembers(module, one, position)
  const node = unquoted(hint)
  if (node.nodeType === 'BinOp' && node.op.nodeType === 'BitOr') return [...members(node.left), ...members(node.right)]
  const { name, inner } = partsOf(node)
  const type = module.originalName(name)
  if (type === 'Union') return inner.flatMap(members)
  if (type === 'Optional' && inner[0]) return [...members(inner[0]), { nodeType: 'Constant', value: null } as ExprNode]
  if (type !== undefined && WRAPPERS.includes(type) && inner[0]) return members(inner[0])
  const alias = name === undefined || PLAIN.has(name) ? undefined : module.aliases.get(name)
  return alias ? module.named(name!, position, () => members(alias)) : [node]
}

/** The description in `Annotated[T, "…"]` or `Annotated[T, Field(description="…")]`. */
export function annotation(module: PythonModule, hint: ExprNode): string | undefined {
  const { name, inner } = partsOf(unquoted(hint))
  if (module.originalName(name) !== 'Annotated') return undefined
  return inner.slice(1).flatMap((one) => textOf(fieldCall(one)?.named.get('description')) ?? textOf(one) ?? [])[0]
}

/** A value of `Literal[…]`, or the values of a `Literal` inside it. */
export function literal(module: PythonModule, node: ExprNode, position: Position): (string | number | boolean)[] {
  const text = textOf(node)
  if (text !== undefined) return [text]
  if (node.nodeType === 'Constant' && ['number', 'boolean'].includes(typeof node.value)) return [node.value]
  if (node.nodeType === 'UnaryOp' && node.op.nodeType === 'USub') {
    return literal(module, node.operand, position).map((value) => -(value as number))
  }
  const { name, inner } = partsOf(node)
  if (module.originalName(name) === 'Literal') return inner.flatMap((one) => literal(module, one, position))
  throw new UnreadableSource({
    position,
    message: 'a fixed value must be written out as a string, a number or a boolean',
  })
}
