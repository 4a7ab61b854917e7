import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toApiError } from '../src/db/pg-errors.ts'
import type { Resource } from '../src/db/resource.ts'
import { ApiError } from '../src/lib/errors.ts'
import { type Document, documentOf, resolve, type Schema } from './operations.ts'
import { ownedTables } from './rows.ts'
import { startTestServer, type TestServer } from './server.ts'

let server: TestServer
let document: Document
beforeAll(async () => {
  server = await startTestServer()
  document = documentOf(server.app)
})
afterAll(() => server.close())

/** The column types that may store a wire type. */
const STORED: Record<string, readonly string[]> = {
  string: ['text'],
  'date-time': ['timestamptz'],
  integer: ['int4', 'int8'],
  number: ['float8', 'numeric'],
  boolean: ['bool'],
  object: ['jsonb', 'json'],
  array: ['jsonb', 'json'],
}

/** `string`, `date-time`, `integer`, `number`, `boolean`, `array` or `object`, as a union of objects is. */
function wireType(schema: Schema): string {
  const { type, format, anyOf } = resolve(document, schema)
  if (anyOf) return wireType(anyOf[0]!)
  // Requests may have null for "no value" in an optional setting; responses never do.
  const [only] = [type].flat().filter((one) => one !== 'null')
  return format === 'date-time' ? format : String(only)
}

const rowsOf = async <Row>(text: string) => (await sql.raw<Row>(text).execute(server.database.kysely)).rows

/** Everything that resources declare to the storage layer: resources and links. */
async function declarations(): Promise<{ conflicts?: Record<string, string> }[]> {
  const root = new URL('..', import.meta.url)
  const files = globSync('src/resources/**/{*schema,links}.ts', { cwd: fileURLToPath(root) })
  const modules = await Promise.all(files.map((file) => import(new URL(file, root).href)))
  return modules.flatMap((module) => Object.values(module)).filter((value) => Object(value) === value) as object[]
}

const resources = async () =>
  (await declarations()).filter((declaration): declaration is Resource => 'rendering' in declaration)

interface Column {
  type: string
  nullable: 'YES' | 'NO'
}

/** The columns of the database, by table and name. */
async function columnsByKey(): Promise<Map<string, Column>> {
  const columns = await rowsOf<Column & { key: string }>(`
    select table_name || '.' || column_name as key, udt_name as type, is_nullable as nullable
    from information_schema.columns where table_schema = 'public'`)
  return new Map(columns.map((column) => [column.key, column]))
}

describe('the database schema', () => {
  test('has a column of the fitting type for every field that is read from one', async () => {
    const columns = await columnsByKey()
    const shaped = (await resources()).filter(({ shape }) => document.components.schemas[shape!])
    expect(shaped.length).toBeGreaterThan(20)
    const wrong = shaped.flatMap(({ shape: name, table, columns: fields }) => {
      const shape = document.components.schemas[name!]!
      return fields.flatMap((field) => {
        const column = columns.get(`${table}.${field}`)
        if (!column) return [`${name}.${field}: ${table} has no such column`]
        const type = wireType(shape.properties![field]!)
        if (!STORED[type]?.includes(column.type)) return [`${name}.${field}: ${type} is stored as ${column.type}`]
        const required = shape.required?.includes(field)
        return required && column.nullable === 'YES' ? [`${name}.${field}: is required, and may be null`] : []
      })
    })
    expect(wrong).toEqual([])
  })

  test('keeps the order of keys in the columns that resources declare as free JSON, and in no others', async () => {
    const columns = await columnsByKey()
    const wrong = (await resources()).flatMap(({ table, columns: fields, json = [] }) =>
      [
        ...json.filter((field) => columns.get(`${table}.${field}`)?.type !== 'json'),
        ...fields.filter((field) => columns.get(`${table}.${field}`)?.type === 'json' && !json.includes(field)),
      ].map((field) => `${table}.${field}`),
    )
    expect(wrong).toEqual([])
  })

  // Organizations, users and keys are found before it is known whose they are.
  const BY_THEMSELVES = ['users_pkey', 'api_keys_key_hash_key', 'access_tokens_token_hash_key']

  test('has the organization first in every primary key of an owned table', async () => {
    const owned = await ownedTables(server.database)
    const indexes = await rowsOf<{ table: string; name: string; first: string; primary: boolean }>(`
      select i.indrelid::regclass::text as table, i.indexrelid::regclass::text as name, i.indisprimary as primary,
        (select attname from pg_attribute where attrelid = i.indrelid and attnum = i.indkey[0]) as first
      from pg_index i join pg_namespace n on n.nspname = 'public'
      join pg_class c on c.oid = i.indrelid and c.relnamespace = n.oid where i.indisunique`)
    const keyed = indexes.filter(({ primary }) => primary).map(({ table }) => table)
    expect(owned.filter((table) => !keyed.includes(table))).toEqual([])
    const wide = indexes.filter(({ table, first }) => owned.includes(table) && first !== 'organization_id')
    expect(wide.map(({ name }) => name).sort()).toEqual([...BY_THEMSELVES].sort())
  })

  test('has no foreign key that could refer to another organization’s row', async () => {
    const owned = await ownedTables(server.database)
    const references = await rowsOf<{ name: string; from: string; to: string; pairs: string[] }>(`
      select conname as name, conrelid::regclass::text as from, confrelid::regclass::text as to,
        (select array_agg(a.attname || '=' || b.attname) from unnest(conkey, confkey) as pair (a_num, b_num)
          join pg_attribute a on a.attrelid = conrelid and a.attnum = a_num
          join pg_attribute b on b.attrelid = confrelid and b.attnum = b_num) as pairs
      from pg_constraint where contype = 'f'`)
    const between = references.filter(({ from, to }) => owned.includes(from) && owned.includes(to))
    expect(between.length).toBeGreaterThan(15)
    expect(between.filter(({ pairs }) => !pairs.includes('organization_id=organization_id'))).toEqual([])
    // Deleting an organization deletes the rows of each table directly or with their parents. History has no parent, and
    // rows about a hosted store stay until its data is deleted.
    const tied = new Set(references.map(({ from }) => from))
    expect(owned.filter((table) => !tied.has(table))).toEqual(['hosted_vectors', 'revisions'])
  })

  test('has a foreign key for every column that holds an id, or a reason for none', async () => {
    const owned = await ownedTables(server.database)
    const columns = await rowsOf<{ table: string; column: string }>(`
      select table_name as table, column_name as column from information_schema.columns
      where table_schema = 'public' and column_name like '%\\_id'`)
    const referring = await rowsOf<{ key: string }>(`
      select conrelid::regclass::text || '.' || attname as key from pg_constraint
      join pg_attribute on attrelid = conrelid and attnum = any(conkey) where contype = 'f'`)
    const free = columns
      .filter(
        ({ table, column }) => owned.includes(table) && !referring.some(({ key }) => key === `${table}.${column}`),
      )
      // Names from the caller, or of resources that may be deleted.
      .filter(
        ({ column }) =>
          !/^(project|(base_)?template|deployment|entity|(created|last_updated)_by|sender)_id$/.test(column),
      )
      .map(({ table, column }) => `${table}.${column}`)
    expect(free.filter((key) => !key.startsWith('revisions.')).sort()).toEqual([
      // The last message and a request for approval may be deleted; the block of a file has no row; the model chooses the
      // id of a tool call. A passage refers to its container by other columns; vectors in a hosted store may outlive rows.
      'files_agents.block_id',
      'groups.last_processed_message_id',
      'hosted_vectors.container_id',
      'hosted_vectors.organization_id',
      'hosted_vectors.passage_id',
      // The texts of messages go with their messages.
      'message_texts.agent_id',
      'message_texts.conversation_id',
      'messages.approval_request_id',
      // Messages outlive the runs and steps that made them; a conversation's row goes after its messages.
      'messages.conversation_id',
      // A trigger clears it when the group goes.
      'messages.group_id',
      'messages.run_id',
      'messages.step_id',
      'messages.tool_call_id',
      'passages.container_id',
      // Steps and traces outlive their agents; runs belong to their agents, as threads do.
      'provider_traces.agent_id',
      'provider_traces.run_id',
      'provider_traces.step_id',
      'run_otids.thread_id',
      'runs.conversation_id',
      // A trigger clears it when the group goes, and deletes the group's own runs; those of members outlive these.
      'runs.group_id',
      'runs.parent_run_id',
      // Runs stay when their schedule goes.
      'runs.schedule_id',
      'runs.thread_id',
      'steps.agent_id',
      'steps.provider_id',
      'steps.request_id',
      'steps.run_id',
      'steps.trace_id',
      'threads.run_id',
      'tool_calls.call_id',
      'tool_calls.step_id',
      // What was used is used, also by an agent or a key that is gone.
      'usage_days.agent_id',
      'usage_days.api_key_id',
    ])
  })

  /** Unique constraints no request can break, and why. */
  const UNBREAKABLE: Record<string, RegExp> = {
    'ids are made by the server': /_pkey$/,
    'an id is in it, so the primary key comes first':
      /^((files_organization_id_source|passages_organization_id_container)_id_id|users_organization_id_id)_key$/,
    'keys and tokens are random': /^(api_keys_key|access_tokens_token)_hash_key$/,
    'versions get their numbers while their template is held': /^template_versions_number_key$/,
    'setting secrets replaces those of the same name': /^agent_environment_variables_organization_id_agent_id_key_key$/,
    'a thread names the one run that is carried out, and its row is held': /^runs_one_per_thread$/,
    'whoever begins the run of a due time holds the schedule': /^runs_one_per_due_time$/,
    'the turns of a run are numbered while the run is held': /^runs_one_per_turn$/,
    'a file is opened once by an import': /^files_agents_organization_id_agent_id_file_id_key$/,
  }

  test('has an error message for every unique index that a request can violate', async () => {
    const names = (
      await rowsOf<{ name: string }>(`
        select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
        join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'public' and i.indisunique`)
    ).map(({ name }) => name)
    const conflicts = Object.assign({}, ...(await declarations()).map((declaration) => declaration.conflicts))
    const silent = names.filter((constraint) => {
      if (Object.values(UNBREAKABLE).some((pattern) => pattern.test(constraint))) return false
      const error = toApiError(Object.assign(new Error('duplicate key'), { code: '23505', constraint }), conflicts)
      return !(error instanceof ApiError) || error.status !== 409
    })
    expect(silent).toEqual([])
    const unused = Object.values(UNBREAKABLE).filter((pattern) => !names.some((name) => pattern.test(name)))
    expect(unused).toEqual([])
  })
})

/** The fields of the Letta API's resources: by shape and field, the type in JSON, and ! where the field is required. */
const FIELDS: Record<string, Record<string, string>> = JSON.parse(
  readFileSync(new URL('fixtures/resource-fields.json', import.meta.url), 'utf8'),
)

/** Types of a shape's field that agree with a type in FIELDS. */
function wireTypesOf(type: string): string[] {
  if (type === 'number') return ['integer', 'number']
  return type === 'any' ? ['object', 'string', 'array'] : [type]
}

test.each(Object.entries(FIELDS))('%s has the fields of the Letta API, and no others', (name, fields) => {
  const { properties, ...shape } = document.components.schemas[name]!
  expect(Object.keys(properties!).sort()).toEqual(Object.keys(fields).sort())
  const required = Object.keys(fields).filter((field) => fields[field]!.endsWith('!'))
  expect([...(shape.required ?? [])].sort()).toEqual(required.sort())
  const mistyped = Object.entries(fields).filter(
    ([field, type]) => !wireTypesOf(type.replace('!', '')).includes(wireType(properties![field]!)),
  )
  expect(mistyped.map(([field, type]) => `${field}: ${type}`)).toEqual([])
  expect((shape as { additionalProperties?: boolean }).additionalProperties).toBe(false)
})
