import type * as t from '@babel/types'
import { createGuard, type Guard } from './guard.ts'
import type { JsonSchema, Value } from './json-schema.ts'

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
