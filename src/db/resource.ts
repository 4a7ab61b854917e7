import { type RawBuilder, sql } from 'kysely'
import type { Prefix } from '../lib/ids.ts'
import type { Place, Sheet } from '../lib/sheet.ts'
import { membersOf, type Names, objectOf, WRITTEN } from './members.ts'
import type { Tables } from './tables.ts'

/** What the storage layer has to know of a resource. Declared once, beside its wire shape. */
export interface Resource<Wire = unknown, T extends string = string> {
  table: T
  prefix: Prefix
  /** The columns that leave the server. */
  columns: readonly string[]
  /** What its wire shape is selected from: the columns and the computed fields. */
  fields: RawBuilder<unknown>
  /** The statement that reads one: `$1` is the organization, `$2` the id. */
  one: string
  /** The wire shape as the database writes it, in either names. */
  written: Record<Names, WrittenResource>
  /** Whether its answers hold more than the row its version counts. */
  composed: boolean
  /** Columns that must not be copied into the history. */
  unlogged?: readonly string[]
  /** The direction of a list that asks for none. */
  order: 'asc' | 'desc'
  /** Carries the wire type; never set. */
  wire?: Wire
}

interface Definition<T extends string> extends Pick<Resource<unknown, T>, 'table' | 'prefix' | 'unlogged' | 'order'> {
  /** JSON fields that are not columns: SQL over the table's own row. */
  computed?: Record<string, string>
}

/** A resource as the database writes it. */
export interface WrittenResource extends Written, WrittenParts {
  /** SQL: the members of its JSON object. */
  members: string
  /** The statement that reads one: `$1` is the organization, `$2` the id. */
  one: string
}

/** How the database writes rows as JSON, a text for each: its statements are built and compiled once for each form. */
export interface Written {
  /** Names the SQL: that of one form and one resource differs by the organization's id alone. */
  form: string
  parts(): WrittenParts
  /** Whether the texts hold more than the rows their versions count. */
  composed?: boolean
  /** Writes shared texts anew, behind what is on the sheet, with what the database can't write. */
  complete?: ((sheet: Sheet, text: Place) => Place) | undefined
}

/** The SQL of it, without values but the organization's id. */
export interface WrittenParts {
  /** SQL over the row, under its table's name, and over what is joined to it. */
  json: RawBuilder<unknown>
  /** Common table expressions over `page`, which has the rows. */
  tables?: readonly RawBuilder<unknown>[]
  /** Joins to the row, of one row at most each. */
  joins?: readonly RawBuilder<unknown>[]
  /** Which of the tables hold texts (`id`, `json`) that the rows' refer to, by `referenceTo` their ids. */
  shared?: readonly string[]
}

/** Declares a resource: its columns are the fields of its wire shape, less the computed ones. */
export const defineResource =
  <Wire>() =>
  <T extends keyof Tables & string>(
    schema: { properties: object },
    { computed = {}, ...definition }: Definition<T>,
  ): Resource<Wire, T> => {
    // Written once as text: a list of forty columns is not built anew for every request.
    const { table } = definition
    const names = Object.keys(schema.properties)
    const sourceOf = (name: string) => computed[name] ?? `"${table}"."${name}"`
    const fields = names.map((name) => `${sourceOf(name)} as "${name}"`).join(', ')
    const select = (what: string) => `select ${what}, version from "${table}" where organization_id = $1 and id = $2`
    const writtenIn = (written: Names): WrittenResource => {
      const members = membersOf(schema, sourceOf, written)
      const text = objectOf(members)
      const json = sql.raw(text)
      return { form: written, parts: () => ({ json }), json, members, one: select(`(${text})::${WRITTEN} as json`) }
    }
    return {
      ...definition,
      columns: names.filter((name) => !(name in computed)),
      fields: sql.raw(fields),
      one: select(fields),
      written: { neutral: writtenIn('neutral'), vendor: writtenIn('vendor') },
      composed: Object.keys(computed).length > 0,
    }
  }

/** The ids a join table holds for each row of `owner`, in their order: SQL for a computed field. */
export const attachedIds = (owner: string, table: string, ownerColumn: string, targetColumn: string) => `to_json(array(
  select link.${targetColumn} from ${table} as link
  where link.organization_id = ${owner}.organization_id and link.${ownerColumn} = ${owner}.id order by link.position))`

/** A join table: which resources are attached to an owner. */
export interface Link {
  table: string
  owner: Resource
  ownerColumn: string
  targetColumn: string
  /** A column of the join row that repeats one of the target's. */
  carries?: { column: string; table: string; from: string }
  /** Other rows hang on the join row: a replaced set keeps those that stay, in their old order. */
  keepsRows?: boolean
}

/** A set of attachments that changed, for the history. */
export interface LinkChange {
  table: string
  added: string[]
  removed: string[]
}

/** The row's version, for the ETag. Not part of the wire shape. */
export const VERSION = Symbol('version')

/** Whether the representation holds more than the row its version counts: its ETag then needs a hash besides. */
export const COMPOSED = Symbol('composed')

/** The cursor parameter of the page after this one, when there is one. */
export const NEXT = Symbol('next')

export interface Versioned {
  [VERSION]?: number
  [COMPOSED]?: boolean
}

/** One page of a list; `NEXT` tells whether, and how, it goes on. */
export type PageOf<T> = T[] & { [NEXT]?: { after?: string; before?: string } | undefined }
