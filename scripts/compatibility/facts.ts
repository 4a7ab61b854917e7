/** The compared parts of an OpenAPI document: the names of parameters and fields, and the values they may have. */

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
}

interface Content {
  content?: Record<string, { schema?: Schema }>
}

interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[]
  requestBody?: Content
  responses: Record<string, Content>
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/**
 * Operations by method and path, and shapes by name, each as words. A word of an operation begins with `?` (query), `>`
 * (body) or `<` (answer). A word is a path such as `llm_config.model` or `tools[].id` and what is known of it:
 * `!` it must be there, `*` anything may stand beneath it, `~` values besides those listed may stand there,
 * `=a|b` its values, `:A|B` the shapes it has. In place of a path, `(…)` says what a whole body or answer is.
 */
export interface Facts {
  operations: Record<string, string>
  shapes: Record<string, string>
}

/** The facts of one name. */
export interface Name {
  required: boolean
  open: boolean
  free: boolean
  values: string[]
  shapes: string[]
}

export type Names = Map<string, Name>

const METHODS = ['get', 'post', 'put', 'patch', 'delete']
const REFERENCE = '#/components/schemas/'

const unique = (values: readonly string[]) => [...new Set(values)]
const typesOf = ({ type }: Schema) => (Array.isArray(type) ? type : type === undefined ? [] : [type])
const variantsOf = ({ anyOf = [], oneOf = [], allOf = [] }: Schema) => [...anyOf, ...oneOf, ...allOf]

/** Joins facts of one name: it is required when all of them say so; values and shapes add up. */
function add(names: Names, path: string, found: Partial<Name>): void {
  const known = names.get(path)
  names.set(path, {
    required: (found.required ?? false) && (known?.required ?? true),
    open: (found.open ?? false) || (known?.open ?? false),
    free: (found.free ?? false) || (known?.free ?? false),
    values: unique([...(known?.values ?? []), ...(found.values ?? [])]),
    shapes: unique([...(known?.shapes ?? []), ...(found.shapes ?? [])]),
  })
}

/** Adds the names of a schema at `path`, down to the shapes of its references. */
function collect(names: Names, schema: Schema, path: string, required: boolean): void {
  const { $ref, items, properties, additionalProperties } = schema
  if ($ref) {
    add(names, path, { required, shapes: [$ref.slice(REFERENCE.length)] })
    return
  }
  const variants = variantsOf(schema)
  for (const variant of variants) collect(names, variant, path, required)
  const types = typesOf(schema)
  const values = (schema.enum ?? (schema.const === undefined ? [] : [schema.const])).filter((value) => value !== null)
  const anything = types.length === 0 && variants.length === 0 && !properties && !items && values.length === 0
  const open =
    anything ||
    (types.includes('array') && !items) ||
    (types.includes('object') && (properties ? Boolean(additionalProperties) : additionalProperties !== false))
  const free = values.length === 0 && types.some((type) => !['object', 'array', 'null'].includes(type))
  add(names, path, { required, open, free, values: values.map(String) })
  if (items) collect(names, items, `${path}[]`, false)
  for (const [name, inner] of Object.entries(properties ?? {})) {
    collect(names, inner, path ? `${path}.${name}` : name, schema.required?.includes(name) ?? false)
  }
}

function wordsOf(names: Names): string[] {
  return [...names].map(([path, { required, open, free, values, shapes }]) => {
    const word = [
      path,
      required ? '!' : '',
      open ? '*' : '',
      free && (values.length > 0 || shapes.length > 0) ? '~' : '',
      values.length > 0 ? `=${values.join('|')}` : '',
      shapes.length > 0 ? `:${shapes.join('|')}` : '',
    ].join('')
    if (/\s/.test(word)) throw new Error(`a name or value with a space can't be written: ${word}`)
    return word
  })
}

function wordsOfSchema(schema: Schema): string[] {
  const names: Names = new Map()
  collect(names, schema, '', false)
  return wordsOf(names).filter((word) => word !== '')
}

/** The facts of a whole body or response that is neither an object nor an array. */
function kindsOf(schema: Schema | undefined): string[] {
  if (!schema) return ['(nothing)']
  if (schema.$ref) return []
  const types = [schema, ...variantsOf(schema)].flatMap(typesOf)
  return unique(types.filter((type) => type !== 'object' && type !== 'array')).map((type) => `(${type})`)
}

function wordsOfContent({ content = {} }: Content): string[] {
  const media = Object.keys(content)
  const schema = (content['application/json'] ?? Object.values(content)[0])?.schema
  return [
    ...(media.includes('multipart/form-data') ? ['(form)'] : []),
    ...(media.includes('text/event-stream') ? ['(events)'] : []),
    ...kindsOf(schema),
    ...(schema ? wordsOfSchema(schema) : []),
  ]
}

function operationText({ parameters = [], requestBody = {}, responses }: Operation): string {
  const query: Names = new Map()
  for (const { name, in: where, required, schema } of parameters) {
    if (where === 'query') collect(query, schema ?? {}, name, required ?? false)
  }
  const [status, answer] = Object.entries(responses).find(([status]) => status.startsWith('2'))!
  return [
    ...wordsOf(query).map((word) => `?${word}`),
    ...wordsOfContent(requestBody).map((word) => `>${word}`),
    ...[`(${status})`, ...wordsOfContent(answer)].map((word) => `<${word}`),
  ].join(' ')
}

/** The facts of a document: its operations in their order, and the shapes these have. */
export function factsOf({ paths, components }: OpenApi): Facts {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operationText(operation)]),
  )
  const shapes = new Map<string, string>()
  const follow = (text: string) => {
    for (const [, names] of text.matchAll(/:(\S+)/g)) {
      for (const name of names!.split('|').filter((name) => !shapes.has(name))) {
        const words = wordsOfSchema(components.schemas[name]!).join(' ')
        shapes.set(name, words)
        follow(words)
      }
    }
  }
  for (const [, text] of operations) follow(text!)
  return {
    operations: Object.fromEntries(operations),
    shapes: Object.fromEntries([...shapes].sort(([one], [other]) => (one < other ? -1 : 1))),
  }
}

const WORD = /^(?<path>[^!*~=:]*)(?<marks>[!*~]*)(?:=(?<values>[^:]*))?(?::(?<shapes>.*))?$/

/** Adds the names that words give, those of the shapes they refer to among them. A shape inside itself isn't followed. */
function expand(names: Names, words: string[], shapes: Facts['shapes'], prefix: string, within: string[]): void {
  for (const word of words) {
    const { path = '', marks = '', ...lists } = WORD.exec(word)!.groups!
    const at = path.startsWith('[]') || !prefix || !path ? prefix + path : `${prefix}.${path}`
    const refers = lists.shapes?.split('|') ?? []
    // The first word of a shape is about the shape, and doesn't say whether a reference to it is required.
    const required = path === '' && prefix !== '' ? (names.get(at)?.required ?? false) : marks.includes('!')
    const values = lists.values?.split('|') ?? []
    add(names, at, { required, open: marks.includes('*'), free: marks.includes('~'), values })
    for (const name of refers.filter((name) => !within.includes(name))) {
      expand(names, shapes[name]!.split(' ').filter(Boolean), shapes, at, [...within, name])
    }
  }
}

/** Every name of an operation's query (`?`), body (`>`) or response (`<`). */
export function namesOf({ operations, shapes }: Facts, operation: string, mark: '?' | '>' | '<'): Names {
  const names: Names = new Map()
  const words = operations[operation]!.split(' ').filter((word) => word.startsWith(mark))
  expand(
    names,
    words.map((word) => word.slice(1)),
    shapes,
    '',
    [],
  )
  return names
}
