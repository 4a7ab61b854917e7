import type * as t from '@babel/types'
import { readJsDoc } from './jsdoc.ts'
import {
  anyOf,
  createGuard,
  described,
  type JsonSchema,
  jsonObject,
  oneOfValues,
  type Place,
  UnreadableSource,
  type Value,
} from './signature.ts'

/** Where a node stands. */
export const placeOf = ({ loc }: t.Node): Place => ({
  line: loc?.start.line ?? 1,
  column: (loc?.start.column ?? 0) + 1,
})

const PLAIN: Partial<Record<t.Node['type'], JsonSchema>> = {
  TSStringKeyword: { type: 'string' },
  TSNumberKeyword: { type: 'number' },
  TSBooleanKeyword: { type: 'boolean' },
  TSNullKeyword: { type: 'null' },
  TSObjectKeyword: { type: 'object' },
  TSAnyKeyword: {},
  TSUnknownKeyword: {},
}

type Definition = t.TSInterfaceDeclaration | t.TSTypeAliasDeclaration | t.TSEnumDeclaration

/** The types a program defines at its top level. */
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

type Scalar = string | number | boolean

/** The value of a literal, or undefined for any other expression. */
function literal(node: t.Node): Scalar | undefined {
  if (node.type === 'StringLiteral' || node.type === 'NumericLiteral' || node.type === 'BooleanLiteral') {
    return node.value
  }
  if (node.type === 'TemplateLiteral' && node.quasis.length === 1) return node.quasis[0]!.value.cooked ?? undefined
  if (node.type === 'UnaryExpression' && node.operator === '-' && node.argument.type === 'NumericLiteral') {
    return -node.argument.value
  }
  return undefined
}

const NONE: ReadonlyMap<string, string> = new Map()

/**
 * Translates types of a TypeScript program into JSON Schema, with the interfaces, type aliases and enumerations the
 * program defines. Throws UnreadableSource where JSON has no such value.
 */
export function createTypeScriptTypes(body: readonly t.Statement[]) {
  const definitions = definitionsOf(body)
  const { guarded, named } = createGuard()

  const unfit = (node: t.Node, what: string) =>
    new UnreadableSource({
      place: placeOf(node),
      message:
        `${what} is no type that JSON can hold: use string, number, boolean, arrays, literals, unions, objects or any, ` +
        'or define it in the source as an interface or a type',
    })

  /** The members of a union; any other type is its own only member. */
  function jsonMembers(node: t.TSType): t.TSType[] {
    if (node.type === 'TSUnionType') return node.types.flatMap(jsonMembers)
    if (node.type === 'TSParenthesizedType') return jsonMembers(node.typeAnnotation)
    return [node]
  }

  /** One schema for a union; its literals become one enumeration. */
  function unionOf(members: readonly t.TSType[]): JsonSchema {
    const values = members.map((member) => (member.type === 'TSLiteralType' ? literal(member.literal) : undefined))
    const literals = values.filter((value) => value !== undefined)
    const rest = members.filter((_, index) => values[index] === undefined)
    return anyOf([...(literals.length > 0 ? [oneOfValues(literals)] : []), ...rest.map((one) => memberSchema(one))])
  }

  const schemaOf = (node: t.TSType, notes = NONE): JsonSchema =>
    guarded(placeOf(node), () => {
      const members = jsonMembers(node)
      return members.length === 1 ? memberSchema(members[0]!, notes) : unionOf(members)
    })

  function memberSchema(node: t.TSType, notes = NONE): JsonSchema {
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
        return tupleSchema(node)
      case 'TSLiteralType':
        return unionOfLiteral(node)
      case 'TSTypeLiteral':
        return jsonObject(fieldsOf(node.members, notes))
      case 'TSIntersectionType':
        return jsonObject(node.types.flatMap((one) => objectFields(one, notes)))
      case 'TSTypeReference':
        return referenceSchema(node, notes)
      default:
        throw unfit(node, 'this')
    }
  }

  function unionOfLiteral(node: t.TSLiteralType): JsonSchema {
    const value = literal(node.literal)
    if (value === undefined) throw unfit(node, 'this literal')
    return oneOfValues([value])
  }

  function tupleSchema(node: t.TSTupleType): JsonSchema {
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

  function referenceSchema(node: t.TSTypeReference, notes: ReadonlyMap<string, string>): JsonSchema {
    const name = node.typeName.type === 'Identifier' ? node.typeName.name : undefined
    const inner = node.typeArguments?.params ?? []
    const [first, second] = inner
    const found = name === undefined ? undefined : definitions.get(name)
    if (found && inner.length === 0) return named(name!, placeOf(node), () => definitionSchema(found, notes))
    if ((name === 'Array' || name === 'ReadonlyArray') && first) return { type: 'array', items: schemaOf(first) }
    if (name === 'Readonly' && first) return schemaOf(first, notes)
    if (name === 'Partial' && first) return { ...schemaOf(first, notes), required: [] }
    if (name === 'Record' && first && second) {
      const values = schemaOf(second)
      return { type: 'object', ...(Object.keys(values).length > 0 && { additionalProperties: values }) }
    }
    throw unfit(node, name ?? 'this')
  }

  function definitionSchema(node: Definition, notes: ReadonlyMap<string, string>): JsonSchema {
    if ('typeParameters' in node && node.typeParameters) throw unfit(node, `${node.id.name}, which takes types itself,`)
    if (node.type === 'TSTypeAliasDeclaration') return schemaOf(node.typeAnnotation, notes)
    if (node.type === 'TSInterfaceDeclaration') return jsonObject(interfaceFields(node, notes))
    let next = 0
    return oneOfValues(
      node.body.members.map(({ initializer }) => {
        const value = initializer ? literal(initializer) : next
        if (value === undefined) throw unfit(node, `${node.id.name}, with values that are worked out,`)
        if (typeof value === 'number') next = value + 1
        return value
      }),
    )
  }

  function interfaceFields(node: t.TSInterfaceDeclaration, notes: ReadonlyMap<string, string>): [string, Value][] {
    const inherited = (node.extends ?? []).flatMap((base): [string, Value][] => {
      const { expression } = base
      const parent = expression.type === 'Identifier' ? definitions.get(expression.name) : undefined
      if (parent?.type !== 'TSInterfaceDeclaration') throw unfit(base, 'what it extends')
      return named(parent.id.name, placeOf(base), () => interfaceFields(parent, notes))
    })
    return [...inherited, ...fieldsOf(node.body.body, notes)]
  }

  /** The fields of one part of an intersection. */
  function objectFields(node: t.TSType, notes: ReadonlyMap<string, string>): [string, Value][] {
    const { properties, required } = schemaOf(node, notes)
    if (!properties) throw unfit(node, 'a part of this')
    return Object.entries(properties).map(([name, schema]) => [name, { schema, optional: !required!.includes(name) }])
  }

  function fieldsOf(members: readonly t.TSTypeElement[], notes: ReadonlyMap<string, string>): [string, Value][] {
    return members.map((member) => {
      if (member.type !== 'TSPropertySignature' || member.computed) throw unfit(member, 'a member that is no field')
      const { key } = member
      const name = key.type === 'Identifier' ? key.name : String(literal(key))
      if (!member.typeAnnotation) throw unfit(member, `the field ${name}, which has no type,`)
      const value = typeOf(member.typeAnnotation.typeAnnotation)
      const note = notes.get(name) ?? readJsDoc(member.leadingComments?.at(-1)?.value).description
      return [name, { schema: described(value.schema, note), optional: value.optional || member.optional === true }]
    })
  }

  /** What a parameter or a field may hold; `notes` describes its own fields. One that may be undefined may be left out. */
  function typeOf(node: t.TSType, notes = NONE): Value {
    const members = jsonMembers(node)
    const kept = members.filter(({ type }) => type !== 'TSUndefinedKeyword')
    const schema = guarded(placeOf(node), () => (kept.length === 1 ? memberSchema(kept[0]!, notes) : unionOf(kept)))
    return { schema, optional: kept.length < members.length }
  }

  /** The type of a default value, where it is a literal. */
  function typeOfLiteral(node: t.Expression): Value | undefined {
    const value = literal(node)
    return value === undefined ? undefined : { schema: { type: typeof value }, optional: true }
  }

  return { typeOf, typeOfLiteral }
}
