import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely'
import type { Filter, Table } from './reads.ts'
import type { Resource } from './resource.ts'
import type { Tables } from './tables.ts'

/** Builds queries, and runs none. */
const builder = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

const unfiltered = new Map<string, { query: never; node: unknown }>()
const constants = new WeakMap<object, string>()
let count = 0

/** A filter that holds nothing of a request: make it once, outside of any. Lists with it are compiled once. */
export function constant<T extends Table>(filter: Filter<T>): Filter<T> {
  constants.set(filter, `filter ${count++}`)
  return filter
}

/** Whether a filter keeps every row. */
function keepsAll<T extends Table>(table: T, filter: Filter<T>): boolean {
  let plain = unfiltered.get(table)
  if (!plain) {
    const query = builder.selectFrom(table as never)
    plain = { query: query as never, node: query.toOperationNode() }
    unfiltered.set(table, plain)
  }
  return filter(plain.query).toOperationNode() === plain.node
}

/** A name of what a filter keeps, whoever asks; undefined where that hangs on the request. */
export function constancyOf<T extends Table>(table: T, filter: Filter<T> | undefined): string | undefined {
  if (!filter) return 'all'
  return constants.get(filter) ?? (keepsAll(table, filter) ? 'all' : undefined)
}

/** A compiled statement, and which of a request's values each of its parameters is. */
interface Template {
  sql: string
  slots: number[]
}

/** As many forms of one resource's statements as are kept: callers choose among more. */
const MOST_FORMS = 500

const templates = new WeakMap<Resource, Map<string, Template>>()

/**
 * A statement that hangs on nothing but its `form` and these values, built and compiled once for each form: doing both
 * anew takes as long as sending it and reading its answer. Values that are undefined aren't in it.
 */
export function compileOnce(
  resource: Resource,
  form: readonly string[],
  values: readonly unknown[],
  build: () => RawBuilder<unknown>,
): CompiledQuery {
  const given = values.filter((value) => value !== undefined)
  // Equal ones would be taken for one another.
  if (new Set(given).size < given.length) return build().compile(builder)
  const forms = templates.get(resource) ?? new Map<string, Template>()
  templates.set(resource, forms)
  const name = [...form, ...values.map((value) => value !== undefined)].join()
  let template = forms.get(name)
  if (!template) {
    const { sql, parameters } = build().compile(builder)
    template = { sql, slots: parameters.map((parameter) => values.indexOf(parameter)) }
    if (template.slots.includes(-1))
      throw new Error(`A parameter of a statement on ${resource.table} comes from nowhere.`)
    if (forms.size >= MOST_FORMS) forms.clear()
    forms.set(name, template)
  }
  return CompiledQuery.raw(
    template.sql,
    template.slots.map((slot) => values[slot]),
  )
}
