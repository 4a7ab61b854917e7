import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely'
import { instantOf } from '../lib/ids.ts'
import type { PageQuery } from './page.ts'
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

/** Whether a filter keeps every row. */
export function keepsAll<T extends Table>(table: T, filter: Filter<T> | undefined): boolean {
  if (!filter) return true
  let plain = unfiltered.get(table)
  if (!plain) {
    const query = builder.selectFrom(table as never)
    plain = { query: query as never, node: query.toOperationNode() }
    unfiltered.set(table, plain)
  }
  return filter(plain.query).toOperationNode() === plain.node
}

/** A compiled statement, and which of a request's values each of its parameters is. */
interface Template {
  sql: string
  slots: number[]
}

const templates = new WeakMap<Resource, Map<string, Template>>()

/** What a plain list's statement depends on but its shape. Equal ones would be taken for one another. */
function valuesOf(organizationId: string, limit: number, { after, before }: PageQuery): unknown[] | undefined {
  const instants = [after, before].map((cursor) => cursor && instantOf(cursor)?.toISOString())
  const values = [organizationId, limit, after, before, ...instants]
  const given = values.filter((value) => value !== undefined)
  return new Set(given).size === given.length ? values : undefined
}

/**
 * The statement of a list without filters, built and compiled once for each of its shapes: doing both anew takes as long
 * as sending it and reading its answer.
 */
export function compilePlain(
  resource: Resource,
  shape: string,
  organizationId: string,
  limit: number,
  page: PageQuery,
  build: () => RawBuilder<unknown>,
): CompiledQuery {
  const values = valuesOf(organizationId, limit, page)
  if (!values) return build().compile(builder)
  const forms = templates.get(resource) ?? new Map<string, Template>()
  templates.set(resource, forms)
  const form = [shape, ...values.map((value, at) => (at < 2 ? '' : value !== undefined))].join()
  let template = forms.get(form)
  if (!template) {
    const { sql, parameters } = build().compile(builder)
    template = { sql, slots: parameters.map((parameter) => values.indexOf(parameter)) }
    if (template.slots.includes(-1)) throw new Error(`A parameter of a list of ${resource.table} comes from nowhere.`)
    forms.set(form, template)
  }
  return CompiledQuery.raw(
    template.sql,
    template.slots.map((slot) => values[slot]),
  )
}
