import { type ClassDef, type ExprNode, type Module, parse, type StmtNode } from 'py-ast'
import { type Docstring, readDocstring } from './docstring.ts'
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

export interface Located {
  lineno?: number | undefined
  col_offset?: number | undefined
}

/** Where a node stands. */
export const placeOf = ({ lineno, col_offset }: Located): Place => ({
  line: lineno ?? 1,
  column: (col_offset ?? 0) + 1,
})

const PLAIN = new Map<string, JsonSchema>([
  ['str', { type: 'string' }],
  ['int', { type: 'integer' }],
  ['float', { type: 'number' }],
  ['bool', { type: 'boolean' }],
  ['None', { type: 'null' }],
  ['Any', {}],
  ['object', {}],
  ['datetime', { type: 'string', format: 'date-time' }],
  ['date', { type: 'string', format: 'date' }],
  ['time', { type: 'string', format: 'time' }],
  ['UUID', { type: 'string', format: 'uuid' }],
])
const LISTS = ['list', 'List', 'Sequence', 'MutableSequence', 'Iterable', 'Collection']
const SETS = ['set', 'Set', 'frozenset', 'FrozenSet', 'AbstractSet', 'MutableSet']
const TUPLES = ['tuple', 'Tuple']
const MAPS = ['dict', 'Dict', 'Mapping', 'MutableMapping']
/** What only says something about the type it holds. */
const WRAPPERS = ['Annotated', 'Required', 'NotRequired', 'ReadOnly', 'Final']
const ENUMS = ['Enum', 'IntEnum', 'StrEnum']
const RECORDS = ['BaseModel', 'TypedDict']

/** The text of a string literal. `...` is told from a string by having no quotation marks. */
const textOf = (node: ExprNode | undefined): string | undefined =>
  node?.nodeType === 'Constant' && node.quote_style !== undefined && !/b/i.test(node.quote_style)
    ? node.value
    : undefined

const isEllipsis = (node: ExprNode | undefined) =>
  node?.nodeType === 'Constant' && node.value === '...' && node.quote_style === undefined

/** The docstring of a function or a class. */
export function docstringOf({ body: [first] }: { body: readonly StmtNode[] }): Docstring {
  return readDocstring((first?.nodeType === 'Expr' && textOf(first.value)) || '')
}

/** The last part of a dotted name: `typing.List` and `List` are the same. */
function nameOf(node: ExprNode): string | undefined {
  if (node.nodeType === 'Name') return node.id
  if (node.nodeType === 'Attribute') return node.attr
  if (node.nodeType === 'Constant' && node.value === null) return 'None'
  return undefined
}

/** `Name[first, second]` as its name and what is in the brackets. */
function partsOf(node: ExprNode): { name: string | undefined; inner: ExprNode[] } {
  if (node.nodeType !== 'Subscript') return { name: nameOf(node), inner: [] }
  const { slice } = node
  return { name: nameOf(node.value), inner: slice.nodeType === 'Tuple' ? slice.elts : [slice] }
}

/** The named arguments of a call of `Field` (pydantic) or `field` (dataclasses), and its first argument. */
function fieldCall(node: ExprNode | undefined) {
  if (node?.nodeType !== 'Call' || !['Field', 'field'].includes(nameOf(node.func) ?? '')) return undefined
  return { first: node.args[0], named: new Map(node.keywords.map(({ arg, value }) => [arg, value])) }
}

/** What a source defines at its top level: classes, names for types, and other names for what it imports. */
function definitionsOf(body: readonly StmtNode[]) {
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
  return { classes, aliases, imported }
}

/**
 * Translates type hints of a Python module into JSON Schema, with the classes (pydantic models, typed dictionaries,
 * dataclasses, enumerations) and aliases the module defines. Throws UnreadableSource where JSON has no such value.
 */
export function createPythonTypes(module: Module) {
  const { classes, aliases, imported } = definitionsOf(module.body)
  const { guarded, named } = createGuard()

  const known = (name: string | undefined) => (name === undefined ? undefined : (imported.get(name) ?? name))

  /** The hint itself, where one stands in quotation marks. */
  function unquoted(node: ExprNode): ExprNode {
    const text = textOf(node)
    if (text === undefined) return node
    try {
      const [statement] = parse(`(${text})`).body
      if (statement?.nodeType === 'Expr' && textOf(statement.value) === undefined) return statement.value
    } catch (error) {
      if (error instanceof RangeError) throw error
    }
    throw new UnreadableSource({ place: placeOf(node), message: `"${text}" is not a type hint` })
  }

  /** The members of a union, however it is written; any other type is its own only member. */
  function jsonMembers(hint: ExprNode, place: Place): ExprNode[] {
    const node = unquoted(hint)
    if (node.nodeType === 'BinOp' && node.op.nodeType === 'BitOr') {
      return [...jsonMembers(node.left, place), ...jsonMembers(node.right, place)]
    }
    const { name, inner } = partsOf(node)
    const type = known(name)
    if (type === 'Union') return inner.flatMap((one) => jsonMembers(one, place))
    if (type === 'Optional' && inner[0]) {
      return [...jsonMembers(inner[0], place), { nodeType: 'Constant', value: null } as ExprNode]
    }
    if (type !== undefined && WRAPPERS.includes(type) && inner[0]) return jsonMembers(inner[0], place)
    const alias = name === undefined || PLAIN.has(name) ? undefined : aliases.get(name)
    return alias ? named(name!, place, () => jsonMembers(alias, place)) : [node]
  }

  const isNone = (node: ExprNode) => known(nameOf(node)) === 'None'

  /** The description in `Annotated[T, "…"]` or `Annotated[T, Field(description="…")]`. */
  function annotation(hint: ExprNode): string | undefined {
    const { name, inner } = partsOf(unquoted(hint))
    if (known(name) !== 'Annotated') return undefined
    return inner.slice(1).flatMap((one) => textOf(fieldCall(one)?.named.get('description')) ?? textOf(one) ?? [])[0]
  }

  function schemaOf(hint: ExprNode, place: Place): JsonSchema {
    return guarded(place, () => {
      const schemas = jsonMembers(hint, place).map((member) => memberSchema(member, place))
      return described(anyOf(schemas), annotation(hint))
    })
  }

  function memberSchema(node: ExprNode, place: Place): JsonSchema {
    const { name, inner } = partsOf(node)
    const type = known(name)
    const found = name === undefined ? undefined : classes.get(name)
    if (found) return named(name!, place, () => classSchema(found))
    const items = () => (inner[0] ? schemaOf(inner[0], place) : {})
    if (type !== undefined) {
      const plain = PLAIN.get(type)
      if (plain && inner.length === 0) return plain
      if (LISTS.includes(type)) return { type: 'array', items: items() }
      if (SETS.includes(type)) return { type: 'array', items: items(), uniqueItems: true }
      if (TUPLES.includes(type)) return tupleSchema(inner, place)
      if (MAPS.includes(type)) return mapSchema(inner[1], place)
      if (type === 'Literal') return oneOfValues(inner.flatMap((value) => literal(value, place)))
    }
    throw new UnreadableSource({
      place,
      message:
        `${name ?? 'this'} is no type that JSON can hold: use str, int, float, bool, list, dict, Optional, Union, ` +
        'Literal or Any, or define it in the source as a pydantic BaseModel',
    })
  }

  function tupleSchema(inner: readonly ExprNode[], place: Place): JsonSchema {
    if (inner.length === 0) return { type: 'array', items: {} }
    if (inner.length === 2 && isEllipsis(inner[1])) return { type: 'array', items: schemaOf(inner[0]!, place) }
    const prefixItems = inner.map((one) => schemaOf(one, place))
    return { type: 'array', prefixItems, minItems: inner.length, maxItems: inner.length }
  }

  function mapSchema(values: ExprNode | undefined, place: Place): JsonSchema {
    const schema = values && schemaOf(values, place)
    return { type: 'object', ...(schema && Object.keys(schema).length > 0 && { additionalProperties: schema }) }
  }

  /** A value of `Literal[…]`, or those of a `Literal` inside it. */
  function literal(node: ExprNode, place: Place): (string | number | boolean)[] {
    const text = textOf(node)
    if (text !== undefined) return [text]
    if (node.nodeType === 'Constant' && ['number', 'boolean'].includes(typeof node.value)) return [node.value]
    if (node.nodeType === 'UnaryOp' && node.op.nodeType === 'USub') {
      return literal(node.operand, place).map((value) => -(value as number))
    }
    const { name, inner } = partsOf(node)
    if (known(name) === 'Literal') return inner.flatMap((one) => literal(one, place))
    throw new UnreadableSource({
      place,
      message: 'a fixed value must be written out as a string, a number or a boolean',
    })
  }

  function classSchema(node: ClassDef): JsonSchema {
    const bases = node.bases.map((base) => known(nameOf(base)) ?? '')
    if (bases.some((base) => ENUMS.includes(base))) return enumSchema(node)
    return described(jsonObject(fieldsOf(node)), docstringOf(node).description)
  }

  function enumSchema(node: ClassDef): JsonSchema {
    const values = node.body.flatMap((member) =>
      member.nodeType === 'Assign' ? literal(member.value, placeOf(member)) : [],
    )
    return oneOfValues(values)
  }

  const isRecord = ({ bases, decorator_list }: ClassDef) =>
    bases.some((base) => RECORDS.includes(known(nameOf(base)) ?? '')) ||
    decorator_list.some((one) => known(nameOf(one.nodeType === 'Call' ? one.func : one)) === 'dataclass')

  /** The fields of a record and of those it extends. */
  function fieldsOf(node: ClassDef): [string, Value][] {
    const parents = node.bases.flatMap((base) => classes.get(nameOf(base) ?? '') ?? [])
    if (parents.length === 0 && !isRecord(node)) {
      throw new UnreadableSource({
        place: placeOf(node),
        message: `class ${node.name} is no pydantic BaseModel, TypedDict, dataclass or Enum, so JSON can't hold it`,
      })
    }
    const inherited = parents.flatMap((parent) => named(`${parent.name} (base)`, placeOf(node), () => fieldsOf(parent)))
    const partial = node.keywords.some(
      ({ arg, value }) => arg === 'total' && value.nodeType === 'Constant' && value.value === false,
    )
    const { entries } = docstringOf(node)
    const own = node.body.flatMap((member): [string, Value][] => {
      if (member.nodeType !== 'AnnAssign' || member.target.nodeType !== 'Name') return []
      const { id } = member.target
      const kind = known(partsOf(unquoted(member.annotation)).name)
      if (id.startsWith('_') || kind === 'ClassVar') return []
      const field = fieldCall(member.value)
      const value = typeOf(member.annotation)
      const given = field
        ? (field.first !== undefined && !isEllipsis(field.first)) ||
          (field.named.has('default') && !isEllipsis(field.named.get('default'))) ||
          field.named.has('default_factory')
        : member.value !== undefined && !isEllipsis(member.value)
      const optional = given || kind === 'NotRequired' || (partial && kind !== 'Required')
      // A field without a default must be there, be it as None.
      const type = value.optional && !optional ? schemaOf(member.annotation, placeOf(member)) : value.schema
      const schema = described(type, textOf(field?.named.get('description')) ?? entries.get(id))
      return [[textOf(field?.named.get('alias')) ?? id, { schema, optional }]]
    })
    return [...inherited, ...own]
  }

  /** What a parameter may hold. One that may be None may be left out instead. */
  function typeOf(hint: ExprNode): Value {
    const place = placeOf(hint)
    return guarded(place, () => {
      const members = jsonMembers(hint, place)
      const values = members.filter((member) => !isNone(member))
      const optional = values.length < members.length && values.length > 0
      const schemas = (optional ? values : members).map((member) => memberSchema(member, place))
      return { schema: described(anyOf(schemas), annotation(hint)), optional }
    })
  }

  return { typeOf }
}
