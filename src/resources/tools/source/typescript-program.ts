import type * as t from '@babel/types'
import { createGuard, type Guard } from './guard.ts'
import type { JsonSchema, Value } from './json-schema.ts'
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

/** The definition of a named type. */
export type Definition = t.TSInterfaceDeclaration | t.TSTypeAliasDeclaration | t.TSEnumDeclaration

function definitionsOf(body: readonly t.Statement[]): Map<string, Definition> {
  const definitions = new Map<string, Definition>()
  for (const statement of body) {
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (
      node?.type === 'TSInterfaceDeclaration' ||
      node?.type === 'TSTypeAliasDeclaration' ||
      node?.type === 'TSEnumDeclaration'
    ) {
      definitions.set(node.id.name, node)
    }
  }
  return definitions
}

/** Descriptions of the fields of a type, by name. */
export type Notes = ReadonlyMap<string, string>

/** The types that a program defines at its top level, and the translation of types that may name them. */
export interface TypeReader extends Guard {
  definitions: ReadonlyMap<string, Definition>
  /** The schema of the values of a type. Throws UnreadableSource for a type that JSON can't represent. */
  schemaOf(node: t.TSType, notes?: Notes): JsonSchema
  /** The values of a parameter or a field: one that may be undefined may be left out. */
  typeOf(node: t.TSType, notes?: Notes): Value
}

/** Collects the definitions of a program. */
export const readProgram = (body: readonly t.Statement[]) => ({ definitions: definitionsOf(body), ...createGuard() })
