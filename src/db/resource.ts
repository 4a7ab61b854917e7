import { type RawBuilder, sql } from 'kysely'
import type { Prefix } from '../lib/ids.ts'
import { bytesOf, jsonMembers, jsonObject, type Names } from './render/json-columns.ts'
import type { Rendering } from './render/rendering.ts'
import type { Table } from './select.ts'

/** What the storage layer knows of a resource. Declared once, beside the wire shape. */
export interface Resource<Wire = unknown, T extends Table = Table> extends Options<T> {
  /** The name of the wire shape, where it has one. */
  shape: string | undefined
  /** The columns that leave the server. */
  columns: readonly string[]
  /** SQL of the columns and of the computed fields of the organization's rows. */
  fields(organizationId: unknown): RawBuilder<unknown>
  /** SQL of the bytes of a row's values whose length has no small bound. */
  bytes: RawBuilder<number>
  /** The statement that reads one row: `$1` is the organization, `$2` the id. */
  selectOne: string
  /** The wire shape as the database renders it, in either names. */
  rendering: Record<Names, ResourceRendering<Wire>>
  /** Carries the wire type; never set. */
  wire?: Wire
}

interface Options<T extends Table> {
  table: T
  prefix: Prefix
  /** The order of a list whose query names none. */
  order: 'asc' | 'desc'
  /** Sort keys that rows may lack: such rows come last in both orders. Each order needs an index on its expression. */
  nullableSortKeys?: readonly string[]
  /** Columns of type `json`, which keeps the order of keys. They are compared as text. */
  json?: readonly string[]
  /** Columns that must not be copied into the history. */
  unlogged?: readonly string[]
  /** Messages for violations of unique constraints, by constraint. */
  conflicts?: Readonly<Record<string, string>>
}

interface Definition<T extends Table> extends Options<T> {
  /**
   * JSON fields that are not columns: SQL over the table's own row, or undefined for a field that stays without a value. Other
   * tables are compared with `ORGANIZATION`.
   */
  computed?: Record<string, string | undefined>
  /** SQL of the columns whose values the server itself has written in its names, in the vendor's names. */
  vendorValues?: Record<string, string>
}

/** The rendering of a resource without relations. */
export interface ResourceRendering<Wire = unknown> extends Rendering<Wire> {
  /** SQL of the members of the JSON object. */
  members(organizationId: unknown): RawBuilder<unknown>
  /** The statement that renders one row: `$1` is the organization, `$2` the id. */
  selectOne: string
}

/** Stands for the organization's id in the SQL of computed fields. */
export const ORGANIZATION = ':organization_id'

/** Makes a function that puts the organization's id, a value or a parameter, into an SQL text. */
function withOrganization(text: string) {
  const parts = text.split(ORGANIZATION).map((part) => sql.raw(part))
  return (organizationId: unknown) => sql.join(parts, sql`${organizationId}`)
}

/** Declares a resource: its columns are the fields of its wire shape, except the computed ones. */
export const defineResource =
  <Wire>() =>
  <T extends Table>(
    shape: { $id?: string; properties: object },
    { computed = {}, vendorValues = {}, ...options }: Definition<T>,
  ): Resource<Wire, T> => {
    // Built once as text: building a list of forty columns for every request would cost as much as the query.
    const { table } = options
    const names = Object.keys(shape.properties)
    const columns = names.filter((name) => !(name in computed))
    const source = (name: string) => (name in computed ? computed[name] : `"${table}"."${name}"`)
    const fields = names.flatMap((name) => (source(name) ? `${source(name)} as "${name}"` : [])).join(', ')
    const composed = Object.keys(computed).length > 0 ? '' : undefined
    const selectOne = (selection: string) =>
      `select ${selection.replaceAll(ORGANIZATION, '$1')}, version from "${table}" where organization_id = $1 and id = $2`
    const renderingIn = (language: Names): ResourceRendering<Wire> => {
      const inLanguage = (name: string) => (language === 'vendor' && vendorValues[name]) || source(name)
      const members = jsonMembers({ shape, source: inLanguage }, language)
      const text = jsonObject(members)
      const json = withOrganization(text)
      return {
        cacheKey: language,
        build: (organizationId) => ({ json: json(organizationId) }),
        composed,
        members: withOrganization(members),
        selectOne: selectOne(`${text} as json`),
      }
    }
    return {
      ...options,
      shape: shape.$id,
      columns,
      fields: withOrganization(fields),
      bytes: sql.raw(bytesOf(shape, columns, table)),
      selectOne: selectOne(fields),
      rendering: { neutral: renderingIn('neutral'), vendor: renderingIn('vendor') },
    }
  }

/** SQL of the ids that a join table holds for each row of `owner`, in their order: for a computed field. */
export const attachedIds = (owner: string, table: string, ownerColumn: string, targetColumn: string) => `to_json(array(
  select link.${targetColumn} from ${table} as link
  where link.organization_id = ${ORGANIZATION} and link.${ownerColumn} = ${owner}.id order by link.position))`
