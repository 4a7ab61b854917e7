import { COMPOSED, type Cursor, NEXT, VERSION } from '../marks.ts'

declare const VALUE: unique symbol

/**
 * JSON of a `T` that the database has rendered. A route returns it as it is, or wrapped by `renderObject` or `renderList`;
 * no field of the value can be read here.
 */
export class Rendered<out T> {
  /** Carries the type of the value; never set. */
  declare readonly [VALUE]: T
  /** The JSON text, in parts. Parts are shared: a fragment that occurs many times is one string. */
  readonly segments: readonly string[]
  /** The version of the resource, for its ETag. */
  declare readonly [VERSION]?: number
  /** The query of a GET that returns this JSON, where the JSON holds more than the row that the version counts. */
  declare readonly [COMPOSED]?: string | undefined
  /** The cursor of the next page of a list, if there is one. */
  declare readonly [NEXT]?: Cursor
  /** Whether a list has no items. */
  declare readonly isEmpty?: boolean

  constructor(segments: readonly string[], marks: Pick<Rendered<T>, Mark> = {}) {
    this.segments = segments
    Object.assign(this, marks)
  }

  /** The JSON text in one piece. */
  get text(): string {
    return this.segments.join('')
  }
}

type Mark = typeof VERSION | typeof COMPOSED | typeof NEXT | 'isEmpty'
