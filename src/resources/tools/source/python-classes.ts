import type { ClassDef, ExprNode } from 'py-ast'
import { described, type JsonSchema, jsonObject, oneOfValues, type Value } from './json-schema.ts'
import { literal, unquoted } from './python-hints.ts'
import {
  docstringOf,
  fieldCall,
  type HintReader,
  isEllipsis,
  nameOf,
  type PythonModule,
  partsOf,
  positionOf,
  textOf,
} from './python-module.ts'
import { UnreadableSource } from './signature.ts'

const ENUMS = ['Enum', 'IntEnum', 'StrEnum']
const RECORDS = ['BaseModel', 'TypedDict']

type Field = [name: string, value: Value]

/** The schema of a class: a pydantic model, a typed dictionary, a dataclass or an enumeration. */
export function classSchema(module: PythonModule, hints: HintReader, node: ClassDef): JsonSchema {
  const bases = node.bases.map((base) => module.originalName(nameOf(base)) ?? '')
  if (bases.some((base) => ENUMS.includes(base))) return enumSchema(module, node)
  return described(jsonObject(fieldsOf(module, hints, node)), docstringOf(node).description)
}

function enumSchema(module: PythonModule, node: ClassDef): JsonSchema {
  const values = node.body.flatMap((member) =>
    member.nodeType === 'Assign' ? literal(module, member.value, positionOf(member)) : [],
  )
  return oneOfValues(values)
}

const isRecord = ({ originalName }: PythonModule, { bases, decorator_list }: ClassDef) =>
  bases.some((base) => RECORDS.includes(originalName(nameOf(base)) ?? '')) ||
  decorator_list.some((one) => originalName(nameOf(one.nodeType === 'Call' ? one.func : one)) === 'dataclass')

/** The fields of a record and of its base classes. */
function fieldsOf(module: PythonModule, hints: HintReader, node: ClassDef): Field[] {
  const parents = node.bases.flatMap((base) => module.classes.get(nameOf(base) ?? '') ?? [])
  if (parents.length === 0 && !isRecord(module, node)) {
    throw new UnreadableSource({
      position: positionOf(node),
      message: `class ${node.name} is no pydantic BaseModel, TypedDict, dataclass or Enum, so JSON can't hold it`,
    })
  }
  const inherited = parents.flatMap((parent) =>
    module.named(`${parent.name} (base)`, positionOf(node), () => fieldsOf(module, hints, parent)),
  )
  return [...inherited, ...ownFields(module, hints, node)]
}

/** Whether a field has a default: a value, or a call of `Field` with one. */
function hasDefault(value: ExprNode | undefined): boolean {
  const field = fieldCall(value)
  if (!field) return value !== undefined && !isEllipsis(value)
  const { first, named } = field
  return (
    (first !== undefined && !isEllipsis(first)) ||
    (named.has('default') && !isEllipsis(named.get('default'))) ||
    named.has('default_factory')
  )
}

function ownFields(module: PythonModule, hints: HintReader, node: ClassDef): Field[] {
  const isPartial = node.keywords.some(
    ({ arg, value }) => arg === 'total' && value.nodeType === 'Constant' && value.value === false,
  )
  const { entries } = docstringOf(node)
  return node.body.flatMap((member): Field[] => {
    if (member.nodeType !== 'AnnAssign' || member.target.nodeType !== 'Name') return []
    const { id } = member.target
    const kind = module.originalName(partsOf(unquoted(member.annotation)).name)
    if (id.startsWith('_') || kind === 'ClassVar') return []
    const value = hints.typeOf(member.annotation)
    const optional = hasDefault(member.value) || kind === 'NotRequired' || (isPartial && kind !== 'Required')
    // A field without a default is required, even if its value may be None.
    const type = value.optional && !optional ? hints.schemaOf(member.annotation, positionOf(member)) : value.schema
    const field = fieldCall(member.value)
    const schema = described(type, textOf(field?.named.get('description')) ?? entries.get(id))
    return [[textOf(field?.named.get('alias')) ?? id, { schema, optional }]]
  })
}
