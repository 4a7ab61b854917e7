import type * as t from '@babel/types'
import { readJsDoc } from './jsdoc.ts'
import { described, type JsonSchema, jsonObject, oneOfValues, type Value } from './json-schema.ts'
import { type Definition, literal, type Notes, positionOf, type TypeReader, unfit } from './typescript-program.ts'

type Field = [name: string, value: Value]

/** The fields of an interface and of the interfaces it extends. */
function interfaceFields(types: TypeReader, node: t.TSInterfaceDeclaration, notes: Notes): Field[] {
  const inherited = (node.extends ?? []).flatMap((base): Field[] => {
    const { expression } = base
    const parent = expression.type === 'Identifier' ? types.definitions.get(expression.name) : undefined
    if (parent?.type !== 'TSInterfaceDeclaration') throw unfit(base, 'what it extends')
    return types.named(parent.id.name, positionOf(base), () => interfaceFields(types, parent, notes))
  })
  return [...inherited, ...fieldsOf(types, node.body.body, notes)]
}

/** The fields of one part of an intersection. */
export function objectFields({ schemaOf }: TypeReader, node: t.TSType, notes: Notes): Field[] {
  const { properties, required } = schemaOf(node, notes)
  if (!properties) throw unfit(node, 'a part of this')
  return Object.entries(properties).map(([name, schema]) => [name, { schema, optional: !required!.includes(name) }])
}

/** The fields of an object type. */
export function fieldsOf({ typeOf }: TypeReader, members: readonly t.TSTypeElement[], notes: Notes): Field[] {
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

/** The schema of a named type: of the program, or of the language. */
export function referenceSchema(types: TypeReader, node: t.TSTypeReference, notes: Notes): JsonSchema {
  const { definitions, named, schemaOf } = types
  const name = node.typeName.type === 'Identifier' ? node.typeName.name : undefined
  const inner = node.typeArguments?.params ?? []
  const [first, second] = inner
  const found = name === undefined ? undefined : definitions.get(name)
  if (found && inner.length === 0) return named(name!, positionOf(node), () => definitionSchema(types, found, notes))
  if ((name === 'Array' || name === 'ReadonlyArray') && first) return { type: 'array', items: schemaOf(first) }
  if (name === 'Readonly' && first) return schemaOf(first, notes)
  if (name === 'Partial' && first) return { ...schemaOf(first, notes), required: [] }
  if (name === 'Record' && first && second) {
    const values = schemaOf(second)
    return { type: 'object', ...(Object.keys(values).length > 0 && { additionalProperties: values }) }
  }
  throw unfit(node, name ?? 'this')
}

function definitionSchema(types: TypeReader, node: Definition, notes: Notes): JsonSchema {
  if ('typeParameters' in node && node.typeParameters) throw unfit(node, `${node.id.name}, which takes types itself,`)
  if (node.type === 'TSTypeAliasDeclaration') return types.schemaOf(node.typeAnnotation, notes)
  if (node.type === 'TSInterfaceDeclaration') return jsonObject(interfaceFields(types, node, notes))
  return enumSchema(node)
}

function enumSchema(node: t.TSEnumDeclaration): JsonSchema {
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
