import { parse } from 'comment-parser'

/** What a JSDoc comment says of the whole, and of each `@param` by its name, such as `city` or `options.unit`. */
export interface JsDoc {
  description: string
  params: Map<string, string>
}

/** Reads a block comment, given without its delimiters; one that doesn't start with `*` is no JSDoc and says nothing. */
export function readJsDoc(comment: string | undefined): JsDoc {
  const [block] = comment?.startsWith('*') ? parse(`/*${comment}*/`, { spacing: 'preserve' }) : []
  const text = (one: string) =>
    one
      .replace(/^\s*-\s+/, '')
      .replace(/\n\s+/g, '\n')
      .trim()
  return {
    description: block?.description.trim() ?? '',
    params: new Map(
      (block?.tags ?? [])
        .filter(({ tag }) => ['param', 'arg', 'argument'].includes(tag))
        .map(({ name, description }) => [name, text(description)]),
    ),
  }
}
