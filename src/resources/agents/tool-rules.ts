import { Type } from 'typebox'
import { inBody, invalid } from '../../lib/errors.ts'
import { omitNulls } from '../../lib/json.ts'
import { Int, JsonMap, List, MAX_ITEMS, Name, Strict, Text } from '../../lib/wire.ts'

const { Optional } = Type

/** The fields of each kind of tool rule, besides those all have. */
const KINDS = {
  constrain_child_tools: {
    children: List(Name()),
    child_arg_nodes: Optional(List(Strict({ name: Name(), args: Optional(JsonMap()) }))),
  },
  run_first: { args: Optional(JsonMap()) },
  exit_loop: {},
  conditional: {
    child_output_mapping: Type.Record(Type.String(), Name(), { minProperties: 1, maxProperties: MAX_ITEMS }),
    default_child: Optional(Name()),
    require_output_mapping: Optional(Type.Boolean()),
  },
  continue_loop: {},
  required_before_exit: {},
  max_count_per_step: { max_count_limit: Int({ minimum: 1 }) },
  parent_last_tool: { children: List(Name()) },
  requires_approval: {},
}

type Kind = keyof typeof KINDS

export interface ToolRule {
  /** Absent in requests alone. */
  type?: Kind
  tool_name: string
  prompt_template?: string
  children?: string[]
  child_arg_nodes?: { name: string; args?: Record<string, unknown> }[]
  [field: string]: unknown
}

const COMMON = {
  tool_name: Name({ minLength: 1 }),
  prompt_template: Optional(Text({ description: 'Ignored.' })),
}

/** A rule on when an agent may or must call a tool: a union told apart by `type`, or by the fields of a rule without it. */
export const ToolRule = Type.Unsafe<ToolRule>({
  $id: 'ToolRule',
  anyOf: Object.entries(KINDS).map(([type, fields]) =>
    Strict({ type: Optional(Type.Literal(type)), ...COMMON, ...fields }),
  ),
})

/** The types that the fields of a rule fit. */
const typesFor = (rule: ToolRule): Kind[] => {
  const names = Object.keys(rule).filter((name) => name !== 'type' && !(name in COMMON))
  return (Object.keys(KINDS) as Kind[]).filter((type) => {
    const fields: Type.TProperties = KINDS[type]
    const required = Object.keys(fields).filter((name) => !Type.IsOptional(fields[name]))
    return names.every((name) => name in fields) && required.every((name) => names.includes(name))
  })
}

/** JSON that is equal for equal values, whatever the order of their keys. */
const canonical = (value: unknown) =>
  JSON.stringify(value, (_, inner) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )

/**
 * Tool rules in their stored form: each has its type, none has a null, and equal rules are one. 422, at their places in
 * `field`, for rules without a type whose fields fit several types.
 */
export function storedRules<R extends readonly ToolRule[] | null | undefined>(rules: R, field = 'tool_rules') {
  if (!rules) return rules as Exclude<R, readonly ToolRule[]>
  const typed = rules.map((rule) => ({ types: rule.type ? [rule.type] : typesFor(rule), rule }))
  const issues = typed.flatMap(({ types }, index) =>
    types.length === 1
      ? []
      : [inBody(`${field}[${index}].type`, `is needed here: the other fields fit ${types.join(', ')}`)],
  )
  if (issues.length > 0) throw invalid(...issues)
  const stored = typed.map(({ types, rule }) => omitNulls({ ...rule, type: types[0]! }, 'args'))
  return [...new Map(stored.map((rule) => [canonical(rule), rule])).values()]
}
