import type { RawBuilder } from 'kysely'
import type { Prefix } from '../lib/ids.ts'
import type { Tables } from './tables.ts'

/** What the storage layer has to know of a resource. Declared once, beside its wire shape. */
export interface Resource<Wire = unknown, T extends string = string> {
  table: T
  prefix: Prefix
  /** The columns that leave the server. */
  columns: readonly string[]
  /** Those of them that hold JSON. */
  json: ReadonlySet<string>
  /** Fields that are not columns: SQL over the table's own row. */
  computed?: Record<string, RawBuilder<unknown>>
  /** Columns that must not be copied into the history. */
  unlogged?: readonly string[]
  /** The direction of a list that asks for none. */
  order: 'asc' | 'desc'
  /** Carries the wire type; never set. */
  wire?: Wire
}

/** Declares a resource: its columns are the fields of its wire shape, less the computed ones. */
export const defineResource =
  <Wire>() =>
  <T extends keyof Tables & string>(
    schema: { properties: object },
    definition: Omit<Resource<Wire, T>, 'columns' | 'json' | 'wire'>,
  ): Resource<Wire, T> => {
    const columns = Object.keys(schema.properties).filter((field) => !(field in (definition.computed ?? {})))
    const holdsJson = (field: string) => isJson((schema.properties as Record<string, object>)[field]!)
    return { ...definition, columns, json: new Set(columns.filter(holdsJson)) }
  }

/** Whether a field of this schema holds an object or an array. */
const isJson = (schema: { type?: unknown; $ref?: string; anyOf?: unknown }) =>
  schema.type === 'object' || schema.type === 'array' || schema.$ref !== undefined || schema.anyOf !== undefined

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
