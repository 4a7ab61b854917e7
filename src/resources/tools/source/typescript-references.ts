import type * as t from '@babel/types'
import { type JsonSchema, jsonObject, oneOfValues } from './json-schema.ts'
import { literal, positionOf, unfit } from './typescript-ast.ts'
import { interfaceFields } from './typescript-fields.ts'
import type { Definition, Notes, TypeReader } from './typescript-program.ts'

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
