import { type Cursor, NEXT } from '../marks.ts'
import { Rendered } from './rendered.ts'

/** The value that a type stands for in JSON. */
type Unrendered<T> = T extends Rendered<infer Value> ? Value : T

const segmentsOf = (value: unknown): readonly string[] =>
  value instanceof Rendered ? value.segments : [JSON.stringify(value)]

/** An object of rendered and of plain values, without undefined fields. `next` is the cursor of the next page, if any. */
export function renderObject<T extends object>(
  fields: T,
  next?: Cursor,
): Rendered<{ [K in keyof T]: Unrendered<T[K]> }> {
  const segments = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value], n) => [`${n > 0 ? ',' : '{'}${JSON.stringify(name)}:`, ...segmentsOf(value)])
  return new Rendered(segments.length > 0 ? [...segments, '}'] : ['{}'], next && { [NEXT]: next })
}

/** A list of rendered values. */
export const renderList = <T>(items: readonly Rendered<T>[]): Rendered<T[]> =>
  new Rendered(['[', ...items.flatMap(({ segments }, n) => (n > 0 ? [',', ...segments] : segments)), ']'], {
    isEmpty: items.length === 0,
  })

/** A list of values that a statement has rendered, each as a JSON text. */
export const renderTexts = <T>(texts: readonly string[]): Rendered<T[]> =>
  new Rendered([`[${texts.join()}]`], { isEmpty: texts.length === 0 })

/** A text as a JSON string. A string that a handler returns would go out as it is, as text/plain. */
export const renderString = (text: string): Rendered<string> => new Rendered([JSON.stringify(text)])
