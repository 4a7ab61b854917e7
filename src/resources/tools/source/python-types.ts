import type { ExprNode, Module } from 'py-ast'
import { anyOf, described, type JsonSchema, oneOfValues } from './json-schema.ts'
import { classSchema } from './python-classes.ts'
import { annotation, literal, PLAIN, unionMembers } from './python-hints.ts'
import {
  type HintReader,
  isEllipsis,
  nameOf,
  type PythonModule,
  partsOf,
  positionOf,
  readModule,
} from './python-module.ts'
import { type Position, UnreadableSource } from './signature.ts'

const LISTS = ['list', 'List', 'Sequence', 'MutableSequence', 'Iterable', 'Collection']
const SETS = ['set', 'Set', 'frozenset', 'FrozenSet', 'AbstractSet', 'MutableSet']
const TUPLES = ['tuple', 'Tuple']
const MAPS = ['dict', 'Dict', 'Mapping', 'MutableMapping']

/**
 * Translates type hints of a Python module into JSON Schema, with the classes (pydantic models, typed dictionaries,
 * dataclasses, enumerations) and aliases that the module defines.
 */
export function createPythonTypes(tree: Module): HintReader {
  const module = readModule(tree)
  const { guarded, originalName } = module
  const memberOf = (position: Position) => (node: ExprNode) => memberSchema(module, hints, node, position)
  const hints: HintReader = {
    schemaOf: (hint, position) =>
      guarded(position, () =>
        described(anyOf(unionMembers(module, hint, position).map(memberOf(position))), annotation(module, hint)),
      ),
    typeOf(hint) {
      const position = positionOf(hint)
      return guarded(position, () => {
        const members = unionMembers(module, hint, position)
        const values = members.filter((member) => originalName(nameOf(member)) !== 'None')
        const optional = values.length < members.length && values.length > 0
        const schemas = (optional ? values : members).map(memberOf(position))
        return { schema: described(anyOf(schemas), annotation(module, hint)), optional }
      })
    },
  }
  return hints
}

/** The schema of a type that is no union. */
function memberSchema(module: PythonModule, hints: HintReader, node: ExprNode, position: Position): JsonSchema {
  const { name, inner } = partsOf(node)
  const type = module.originalName(name)
  const found = name === undefined ? undefined : module.classes.get(name)
  if (found) return module.named(name!, position, () => classSchema(module, hints, found))
  const items = () => (inner[0] ? hints.schemaOf(inner[0], position) : {})
  if (type !== undefined) {
    const plain = PLAIN.get(type)
    if (plain && inner.length === 0) return plain
    if (LISTS.includes(type)) return { type: 'array', items: items() }
    if (SETS.includes(type)) return { type: 'array', items: items(), uniqueItems: true }
    if (TUPLES.includes(type)) return tupleSchema(hints, inner, position)
    if (MAPS.includes(type)) return mapSchema(hints, inner[1], position)
    if (type === 'Literal') return oneOfValues(inner.flatMap((value) => literal(module, value, position)))
  }
  throw new UnreadableSource({
    position,
    message:
      `${name ?? 'this'} is no type that JSON can hold: use str, int, float, bool, list, dict, Optional, Union, ` +
      'Literal or Any, or define it in the source as a pydantic BaseModel',
  })
}

function tupleSchema(hints: HintReader, inner: readonly ExprNode[], position: Position): JsonSchema {
  if (inner.length === 0) return { type: 'array', items: {} }
  if (inner.length === 2 && isEllipsis(inner[1])) return { type: 'array', items: hints.schemaOf(inner[0]!, position) }
  const prefixItems = inner.map((one) => hints.schemaOf(one, position))
  return { type: 'array', prefixItems, minItems: inner.length, maxItems: inner.length }
}

function mapSchema(hints: HintReader, values: ExprNode | undefined, position: Position): JsonSchema {
  const schema = values && hints.schemaOf(values, position)
  return { type: 'object', ...(schema && Object.keys(schema).length > 0 && { additionalProperties: schema }) }
}
