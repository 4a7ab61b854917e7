/** The row's version, for the ETag. Not part of the wire shape. */
export const VERSION = Symbol('version')

/**
 * The query of a GET that returns the representation, where this holds more than the row that the version counts: its ETag
 * then includes a hash, and the query.
 */
export const COMPOSED = Symbol('composed')

/** The cursor of the page after this one, when there is one. */
export const NEXT = Symbol('next')

/** The query parameter that asks for the next page of a list. */
export interface Cursor {
  after?: string
  before?: string
}

/** What the headers of a response are made from. */
export interface Versioned {
  [VERSION]?: number
  [COMPOSED]?: string | undefined
}

/** A page of a list that TypeScript has built. */
export type PageOf<T> = T[] & { [NEXT]?: Cursor | undefined }
