import type { ClassDef, ExprNode, Module } from 'py-ast'
import { createGuard, type Guard } from './guard.ts'
import type { JsonSchema, Value } from './json-schema.ts'
import type { Position } from './signature.ts'

/** Translates type hints. */
export interface HintReader {
  /** The schema of the values of a hint. Throws UnreadableSource for a type that JSON can't represent. */
  schemaOf(hint: ExprNode, position: Position): JsonSchema
  /** The values of a parameter or a field: one that may be None may be left out instead. */
  typeOf(hint: ExprNode): Value
}

/** The definitions at the top level of a module, for translating type hints that name them. */
export interface PythonModule extends Guard {
  classes: ReadonlyMap<string, ClassDef>
  /** Names of types, and their hints. */
  aliases: ReadonlyMap<string, ExprNode>
  /** The original name of a name that the module may have imported under another. */
  originalName(name: string | undefined): string | undefined
}

/** Collects the definitions of a module. */
export function readModule({ body }: Module): PythonModule {
  const classes = new Map<string, ClassDef>()
  const aliases = new Map<string, ExprNode>()
  const imported = new Map<string, string>()
  for (const node of body) {
    if (node.nodeType === 'ClassDef') classes.set(node.name, node)
    if (node.nodeType === 'Assign' && node.targets.length === 1) {
      const [target] = node.targets
      if (target?.nodeType === 'Name') aliases.set(target.id, node.value)
    }
    if (node.nodeType === 'AnnAssign' && node.target.nodeType === 'Name' && node.value) {
      aliases.set(node.target.id, node.value)
    }
    if (node.nodeType === 'TypeAlias' && node.name.nodeType === 'Name') aliases.set(node.name.id, node.value)
    if (node.nodeType === 'ImportFrom') {
      for (const { name, asname } of node.names) if (asname) imported.set(asname, name)
    }
  }
  const originalName = (name: string | undefined) => (name === undefined ? undefined : (imported.get(name) ?? name))
  return { classes, aliases, originalName, ...createGuard() }
}
