import type * as t from '@babel/types'
import { anyOf, type JsonSchema, jsonObject, oneOfValues, type Value } from './json-schema.ts'
import {
  literal,
  type Notes,
  positionOf,
  readProgram,
  type TypeReader,
  unfit,
  unionMembers,
} from './typescript-program.ts'
import { fieldsOf, objectFields, referenceSchema } from './typescript-references.ts'

const PLAIN: Partial<Record<t.Node['type'], JsonSchema>> = {
  TSStringKeyword: { type: 'string' },
  TSNumberKeyword: { type: 'number' },
  TSBooleanKeyword: { type: 'boolean' },
  TSNullKeyword: { type: 'null' },
  TSObjectKeyword: { type: 'object' },
  TSAnyKeyword: {},
  TSUnknownKeyword: {},
}

const NONE: Notes = new Map()

/**
 * Translates types of a TypeScript program into JSON Schema, with the interfaces, type aliases and enumerations that the
 * program defines.
 */
export function createTypeScriptTypes(body: readonly t.Statement[]): TypeReader {
  const program = readProgram(body)
  const schemaOfMembers = (members: readonly t.TSType[], notes: Notes) =>
    members.length === 1 ? memberSchema(types, members[0]!, notes) : unionSchema(types, members)
  const types: TypeReader = {
    ...program,
    schemaOf: (node, notes = NONE) =>
      program.guarded(positionOf(node), () => schemaOfMembers(unionMembers(node), notes)),
    typeOf(node, notes = NONE) {
      const members = unionMembers(node)
      const defined = members.filter(({ type }) => type !== 'TSUndefinedKeyword')
      const schema = program.guarded(positionOf(node), () => schemaOfMembers(defined, notes))
      return { schema, optional: defined.length < members.length }
    },
  }
  return types
}

/** One schema for a union; its literals become one enumeration. */
function unionSchema(types: TypeReader, members: readonly t.TSType[]): JsonSchema {
  const values = members.map((member) => (member.type === 'TSLiteralType' ? literal(member.literal) : undefined))
  const literals = values.filter((value) => value !== undefined)
  const rest = members.filter((_, index) => values[index] === undefined)
  return anyOf([
    ...(literals.length > 0 ? [oneOfValues(literals)] : []),
    ...rest.map((one) => memberSchema(types, one)),
  ])
}

/** The schema of a type that is no union. */
function memberSchema(types: TypeReader, node: t.TSType, notes = NONE): JsonSchema {
  const { schemaOf } = types
  const plain = PLAIN[node.type]
  if (plain) return plain
  switch (node.type) {
    case 'TSParenthesizedType':
      return schemaOf(node.typeAnnotation, notes)
    case 'TSUnionType':
      return schemaOf(node, notes)
    case 'TSArrayType':
      return { type: 'array', items: schemaOf(node.elementType) }
    case 'TSTypeOperator':
      if (node.operator === 'readonly') return schemaOf(node.typeAnnotation, notes)
      throw unfit(node, node.operator)
    case 'TSTupleType':
      return tupleSchema(types, node)
    case 'TSLiteralType':
      return literalSchema(node)
    case 'TSTypeLiteral':
      return jsonObject(fieldsOf(types, node.members, notes))
    case 'TSIntersectionType':
      return jsonObject(node.types.flatMap((one) => objectFields(types, one, notes)))
    case 'TSTypeReference':
      return referenceSchema(types, node, notes)
    default:
      throw unfit(node, 'this')
  }
}

function literalSchema(node: t.TSLiteralType): JsonSchema {
  const value = literal(node.literal)
  if (value === undefined) throw unfit(node, 'this literal')
  return oneOfValues([value])
}

function tupleSchema({ schemaOf }: TypeReader, node: t.TSTupleType): JsonSchema {
  const prefixItems: JsonSchema[] = []
  let minItems = 0
  for (const element of node.elementTypes) {
    const inner = element.type === 'TSNamedTupleMember' ? element.elementType : element
    if (inner.type === 'TSRestType') throw unfit(inner, 'a tuple of any length')
    const optional = inner.type === 'TSOptionalType' || (element.type === 'TSNamedTupleMember' && element.optional)
    prefixItems.push(schemaOf(inner.type === 'TSOptionalType' ? inner.typeAnnotation : inner))
    if (!optional) minItems = prefixItems.length
  }
  return { type: 'array', prefixItems, minItems, maxItems: prefixItems.length }
}

/** The type of a default value, where it is a literal. */
export function typeOfLiteral(node: t.Expression): Value | undefined {
  const value = literal(node)
  return value === undefined ? undefined : { schema: { type: typeof value }, optional: true }
}
