import { omitNulls } from '../../lib/json.ts'
import { descriptionIn, type FunctionJson, nameIn } from './function-schema.ts'
import type { CreateTool, UpdateTool } from './schema.ts'
import type { ToolSource } from './source/derive.ts'
import { DEFAULTS } from './tools.ts'

/** The columns that a body sets: null resets a field to its default. */
export function columnsOf({ pip_requirements, npm_requirements, ...body }: UpdateTool) {
  const defaults: Record<string, unknown> = DEFAULTS
  return {
    ...Object.fromEntries(Object.entries(body).map(([field, value]) => [field, value ?? defaults[field] ?? null])),
    pip_requirements: omitNulls(pip_requirements),
    npm_requirements: omitNulls(npm_requirements),
  }
}

/** The source of a new tool. */
export function sourceOf({ source_code, source_type, args_json_schema }: CreateTool): ToolSource {
  return { source_code, source_type: source_type ?? DEFAULTS.source_type, args_json_schema: args_json_schema ?? null }
}

/** The row of a new tool. */
export const rowOf = (body: CreateTool, json_schema: FunctionJson, project?: string | undefined) => ({
  ...DEFAULTS,
  ...columnsOf(body as UpdateTool),
  json_schema,
  schema_derived: !body.json_schema,
  description: body.description ?? descriptionIn(json_schema),
  name: nameIn(json_schema),
  tool_type: 'custom' as const,
  project_id: project,
})
