import type * as t from '@babel/types'
import { type Position, UnreadableSource } from './signature.ts'

/** The position of a node. */
export const positionOf = ({ loc }: t.Node): Position => ({
  line: loc?.start.line ?? 1,
  column: (loc?.start.column ?? 0) + 1,
})

/** The value of a literal, or undefined for any other expression. */
export function literal(node: t.Node): string | number | boolean | undefined {
  if (node.type === 'StringLiteral' || node.type === 'NumericLiteral' || node.type === 'BooleanLiteral') {
    return node.value
  }
  if (node.type === 'TemplateLiteral' && node.quasis.length === 1) return node.quasis[0]!.value.cooked ?? undefined
  if (node.type === 'UnaryExpression' && node.operator === '-' && node.argument.type === 'NumericLiteral') {
    return -node.argument.value
  }
  return undefined
}

/** The error for a type that JSON can't represent; `what` is the subject of its message. */
export const unfit = (node: t.Node, what: string) =>
  new UnreadableSource({
    position: positionOf(node),
    message:
      `${what} is no type that JSON can hold: use string, number, boolean, arrays, literals, unions, objects or any, ` +
      'or define it in the source as an interface or a type',
  })

/** The members of a union; any other type is its own only member. */
export function unionMembers(node: t.TSType): t.TSType[] {
  if (node.type === 'TSUnionType') return node.types.flatMap(unionMembers)
  if (node.type === 'TSParenthesizedType') return unionMembers(node.typeAnnotation)
  return [node]
}
