import { Type } from 'typebox'
import { Int, JsonMap, Strict } from '../../lib/wire.ts'

const { Optional } = Type

/** The fields of each kind of tool rule, besides those all have. */
const KINDS = {
  constrain_child_tools: {
    children: Type.Array(Type.String()),
    child_arg_nodes: Optional(Type.Array(Strict({ name: Type.String(), args: Optional(JsonMap()) }))),
  },
  run_first: { args: Optional(JsonMap()) },
  exit_loop: {},
  conditional: {
    child_output_mapping: Type.Record(Type.String(), Type.String(), { minProperties: 1 }),
    default_child: Optional(Type.String()),
    require_output_mapping: Optional(Type.Boolean()),
  },
  continue_loop: {},
  required_before_exit: {},
  max_count_per_step: { max_count_limit: Int({ minimum: 1 }) },
  parent_last_tool: { children: Type.Array(Type.String()) },
  requires_approval: {},
}

export interface ToolRule {
  type: keyof typeof KINDS
  tool_name: string
  prompt_template?: string
  children?: string[]
  child_arg_nodes?: { name: string; args?: Record<string, unknown> }[]
  [field: string]: unknown
}

/** A rule on when an agent may or must call a tool: a union told apart by `type`. */
export const ToolRule = Type.Unsafe<ToolRule>({
  $id: 'ToolRule',
  anyOf: Object.entries(KINDS).map(([type, fields]) =>
    Strict({
      type: Type.Literal(type),
      tool_name: Type.String({ minLength: 1 }),
      prompt_template: Optional(Type.String({ description: 'Ignored.' })),
      ...fields,
    }),
  ),
})
