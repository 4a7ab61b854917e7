import { parse } from 'comment-parser'

/** The description in a JSDoc comment, and those of each `@param` by name, such as `city` or `options.unit`. */
export interface JsDoc {
  description: string
  params: Map<string, string>
}

/** Reads the text between the delimiters of a block comment. A text without a leading `*` is no JSDoc, and empty. */
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
