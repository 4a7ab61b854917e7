import { isDeepStrictEqual } from 'node:util'
import { type RawBuilder, sql } from 'kysely'
import { escapeLike } from '../../db/escape-like.ts'
import type { Scope } from '../../db/scope.ts'
import type { Filter } from '../../db/select.ts'
import { conflict, inBody, invalid, notFound } from '../../lib/errors.ts'
import { withoutNulls } from '../../lib/json.ts'
import type { KeyedMutex } from '../../lib/keyed-mutex.ts'
import {
  BUILTIN_TYPES,
  type CreateTool,
  type GenerateSchema,
  type ListTools,
  type Tool,
  type ToolFilters,
  tools,
  type UpdateTool,
} from './schema.ts'
import type { DerivedSchema, ToolSource } from './source/derive.ts'
import type { SourceReader } from './source/reader.ts'
import type { ToolRow } from './table.ts'

/** What a tool has where nothing else was said. */
export const DEFAULTS = {
  source_type: 'python',
  tags: [],
  metadata_: {},
  return_char_limit: 50_000,
  enable_parallel_execution: false,
}

/** What a change of a tool does to the agents that have it. Handed in, as tools know no agents. */
export interface ToolHolders {
  /** Detaches a tool from every agent that has it, inside the scope's transaction. */
  detachTool(tx: Scope, id: string): Promise<void>
  /** Carries the new name of a tool into the rules of every agent, inside the scope's transaction. */
  renameTool(tx: Scope, from: string, to: string): Promise<void>
}

/** What changes of tools need besides the database. */
export interface ToolDeps {
  reader: SourceReader
  holders: ToolHolders
}

/** Which tools: one filter for lists and counts. */
function matchingTools(filters: ToolFilters, project?: string | undefined): Filter<'tools'> {
  const { name, names, tool_ids, tool_types, exclude_tool_types, search } = filters
  const named = name === undefined ? names : [...(names ?? []), name]
  const among = (column: string, values: readonly string[]) =>
    sql<boolean>`${sql.ref(`tools.${column}`)} = any(${values}::text[])`
  return (query) => {
    let q = query
    // What belongs to no project is there for all of them.
    if (project !== undefined) q = q.where(sql<boolean>`(tools.project_id = ${project} or tools.project_id is null)`)
    if (named) q = q.where(among('name', named))
    if (tool_ids) q = q.where(among('id', tool_ids))
    if (tool_types) q = q.where(among('tool_type', tool_types))
    if (filters.return_only_svc_tools) q = q.where(among('tool_type', BUILTIN_TYPES))
    if (exclude_tool_types) q = q.where(sql<boolean>`not ${among('tool_type', exclude_tool_types)}`)
    if (filters.exclude_svc_tools) q = q.where(sql<boolean>`not ${among('tool_type', BUILTIN_TYPES)}`)
    if (search !== undefined) q = q.where('tools.name', 'ilike', `%${escapeLike(search)}%`)
    return q
  }
}

/** Tools of the organization, newest first; with a project, those of it and those of none. */
export function listTools(
  scope: Scope,
  { limit, order, order_by, after, before, ...filters }: ListTools,
  project?: string | undefined,
) {
  return scope.list(tools, { limit, order, order_by, after, before }, matchingTools(filters, project))
}

/** How many tools the filters keep. */
export const countTools = (scope: Scope, filters: ToolFilters, project?: string | undefined) =>
  scope.count(tools, matchingTools(filters, project))

/** The ids of the tools with these names, by name; names the organization has no tool for are not in it. */
export async function toolsByName(scope: Scope, names: readonly string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map()
  const rows = await scope.query(sql<{ id: string; name: string }>`
    select id, name from tools where organization_id = ${scope.organizationId} and name = any(${names}::text[])`)
  return new Map(rows.map(({ id, name }) => [name, id]))
}

const NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/
const MAX_NAME = 48

/** What is wrong with a name, where a model could not call a tool by it. */
function nameFault(name: string): string | undefined {
  if (name.length > MAX_NAME) return `must have at most ${MAX_NAME} characters`
  return NAME.test(name) ? undefined : 'must be a function name: a letter or _, then letters, digits, _ and -'
}

type Schema = Record<string, unknown>

/** The name a tool gets from its JSON schema. 422 where there is none, or none a model could call it by. */
function nameIn({ name }: Schema): string {
  const fault = typeof name === 'string' ? nameFault(name) : 'is required, as a string'
  if (fault) throw invalid(inBody('json_schema.name', fault))
  return name as string
}

const descriptionIn = (schema: Schema | null) =>
  typeof schema?.description === 'string' ? schema.description : undefined

/** The schema a source tells. 422 for one that can't be read, or a function no model could call by its name. */
async function derive(
  reader: SourceReader,
  source: ToolSource,
  field = 'source_code',
): Promise<Schema & DerivedSchema> {
  const schema = await reader.read(source, field)
  const fault = nameFault(schema.name)
  if (fault) throw invalid(inBody(field, `the name of the function, ${schema.name}, ${fault}`))
  return { ...schema }
}

/** What a tool of this source would tell models. 422 that says where and why the source can't be read. */
export function generateSchema(reader: SourceReader, { code, source_type }: GenerateSchema) {
  return derive(reader, { source_code: code, source_type: source_type ?? DEFAULTS.source_type }, 'code')
}

/** The body's values for the row: a field that is null has its default again, where there is one. */
function columnsOf({ pip_requirements, npm_requirements, ...body }: UpdateTool) {
  const defaults: Record<string, unknown> = DEFAULTS
  return {
    ...Object.fromEntries(Object.entries(body).map(([field, value]) => [field, value ?? defaults[field] ?? null])),
    pip_requirements: withoutNulls(pip_requirements),
    npm_requirements: withoutNulls(npm_requirements),
  }
}

/** What a new tool's schema is derived from; undefined where the schema is given. */
function sourceOf({ json_schema, source_code, source_type, args_json_schema }: CreateTool): ToolSource | undefined {
  if (json_schema) return undefined
  return { source_code, source_type: source_type ?? DEFAULTS.source_type, args_json_schema: args_json_schema ?? null }
}

/** The row of a new tool. */
const rowOf = (body: CreateTool, json_schema: Schema, project?: string | undefined) => ({
  ...DEFAULTS,
  ...columnsOf(body as UpdateTool),
  json_schema,
  schema_derived: !body.json_schema,
  description: body.description ?? descriptionIn(json_schema),
  name: nameIn(json_schema),
  tool_type: 'custom',
  project_id: project,
})

/**
 * Makes a tool of the organization's own, in a project if one is given; without a schema, one is derived from the source.
 * 409 when one of that name exists, be it built in.
 */
export async function createTool(scope: Scope, reader: SourceReader, body: CreateTool, project?: string | undefined) {
  const source = sourceOf(body)
  return scope.insert(tools, rowOf(body, source ? await derive(reader, source) : body.json_schema!, project))
}

/** A tool as it is, kept from others' changes. */
type Held = Pick<
  ToolRow,
  'name' | 'tool_type' | 'description' | 'json_schema' | 'schema_derived' | 'args_json_schema'
> & { id: string; source_code: string; source_type: string }

/**
 * Holds a tool until the transaction ends, before any agent is held. It goes on being attached to agents meanwhile:
 * whoever attaches it holds the agent first.
 */
async function hold(tx: Scope, which: RawBuilder<boolean>): Promise<Held | undefined> {
  const [tool] = await tx.query<Held>(sql`
    select id, name, tool_type, description, json_schema, schema_derived, args_json_schema, source_code, source_type
    from tools where organization_id = ${tx.organizationId} and ${which} for no key update`)
  return tool
}

async function holdById(tx: Scope, id: string): Promise<Held> {
  const tool = await hold(tx, sql`id = ${id}`)
  if (!tool) throw notFound('tool', id)
  return tool
}

function refuseBuiltin({ name, tool_type }: Held, done: string): void {
  if (BUILTIN_TYPES.some((type) => type === tool_type)) {
    throw conflict(`${name} is a built-in tool: it cannot be ${done}.`)
  }
}

/** Changes a tool that is held; `derived` is its schema, where it follows the source. */
async function change(
  tx: Scope,
  holders: ToolHolders,
  tool: Held,
  body: UpdateTool,
  derived: Schema | undefined,
): Promise<Tool> {
  const json_schema = body.json_schema ?? derived
  const name = json_schema && nameIn(json_schema)
  if (name !== undefined && name !== tool.name) await holders.renameTool(tx, tool.name, name)
  // A description nobody wrote is the schema's, and follows it.
  const own = tool.description !== (descriptionIn(tool.json_schema) ?? null)
  const description = json_schema && !own ? (descriptionIn(json_schema) ?? null) : undefined
  return tx.update(tools, tool.id, {
    description,
    ...columnsOf(body),
    json_schema,
    schema_derived: json_schema && derived !== undefined,
    name,
  })
}

/** Work that is done, or the source whose schema it needs first: no source is read inside a transaction. */
type Attempt = { done: Tool } | { needs: ToolSource | undefined }

/** Tries until the schema at hand is that of the source the work finds. */
async function withSchema(
  reader: SourceReader,
  first: ToolSource | undefined,
  attempt: (source: ToolSource | undefined, derived: Schema | undefined) => Promise<Attempt>,
): Promise<Tool> {
  for (let source = first; ; ) {
    const outcome = await attempt(source, source && (await derive(reader, source)))
    if ('done' in outcome) return outcome.done
    source = outcome.needs
  }
}

const SOURCE_FIELDS = ['source_code', 'source_type', 'args_json_schema'] as const

/** What a tool's schema is derived from once it is changed; undefined where the schema is given, or stays. */
function sourceAfter(tool: Held, body: UpdateTool): ToolSource | undefined {
  const touched = SOURCE_FIELDS.some((field) => body[field] !== undefined)
  if (!touched || body.json_schema !== undefined || !tool.schema_derived) return undefined
  const { source_code, source_type, args_json_schema } = { ...tool, ...columnsOf(body) } as Held
  return { source_code, source_type, args_json_schema }
}

/**
 * Changes what is given. A schema that was derived from the source is derived again when the source changes; one that
 * was given stays. A new name is carried into the rules of the agents. 404; 409 for a built-in tool, or a taken name.
 */
export function updateTool(scope: Scope, { reader, holders }: ToolDeps, id: string, body: UpdateTool): Promise<Tool> {
  return withSchema(reader, undefined, (source, derived) =>
    scope.transaction(async (tx) => {
      const tool = await holdById(tx, id)
      refuseBuiltin(tool, 'modified')
      const needs = sourceAfter(tool, body)
      if (!isDeepStrictEqual(needs, source)) return { needs }
      return { done: await change(tx, holders, tool, body, derived) }
    }),
  )
}

/**
 * Makes the tool of this name, or sets what is given on the one there is, which keeps its id; however many callers do so
 * at once. Without a schema, name and schema are derived from the source. 409 for the name of a built-in tool.
 */
export function upsertTool(
  scope: Scope,
  { reader, holders }: ToolDeps,
  inTurn: KeyedMutex,
  body: CreateTool,
  project?: string | undefined,
): Promise<Tool> {
  const given: UpdateTool = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
  return withSchema(reader, sourceOf(body), (source, derived) => {
    const row = rowOf(body, body.json_schema ?? derived!, project)
    const attempt = async (tx: Scope): Promise<Attempt> => {
      for (;;) {
        const tool = await hold(tx, sql`name = ${row.name}`)
        const args_json_schema = body.args_json_schema ?? tool?.args_json_schema ?? null
        const needs = source && { ...source, args_json_schema }
        if (!isDeepStrictEqual(needs, source)) return { needs }
        if (tool) {
          refuseBuiltin(tool, 'replaced')
          return { done: await change(tx, holders, tool, { ...given, ...sourceTypeOf(source) }, derived) }
        }
        // Nothing is made when another caller has made one of this name meanwhile: that one is then found.
        const [made] = await tx.insertOnConflictDoNothing(tools, [row])
        if (made) return { done: made }
      }
    }
    // Callers of one name would wait for the same row, each with a connection that others could use.
    return inTurn(`${scope.organizationId} ${row.name}`, () => scope.transaction(attempt))
  })
}

/** How a source was read. */
const sourceTypeOf = (source: ToolSource | undefined) =>
  source && { source_type: source.source_type as NonNullable<UpdateTool['source_type']> }

/** Deletes a tool, detached first from every agent that has it. 404; 409 for a built-in one. */
export async function deleteTool(scope: Scope, { detachTool }: ToolHolders, id: string): Promise<void> {
  await scope.transaction(async (tx) => {
    refuseBuiltin(await holdById(tx, id), 'deleted')
    await detachTool(tx, id)
    await tx.remove(tools, id)
  })
}
