import type * as t from '@babel/types'
import { readJsDoc } from './jsdoc.ts'
import { described, type Value } from './json-schema.ts'
import { literal, positionOf, unfit } from './typescript-ast.ts'
import type { Notes, TypeReader } from './typescript-program.ts'

type Field = [name: string, value: Value]

/** The fields of an interface and of the interfaces it extends. */
export function interfaceFields(types: TypeReader, node: t.TSInterfaceDeclaration, notes: Notes): Field[] {
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
