import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { App } from '../src/http/server.ts'
import { QUICK_TO_COMPILE } from '../src/http/validation.ts'

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, { content?: Record<string, { schema: object }> }> }>>
}

interface Checker {
  document: Document
  /** The documented paths as patterns, those with fewest parameters first. */
  paths: { pattern: RegExp; path: string }[]
  validate(pointer: string): ValidateFunction
}

/** The checker of all test files of a worker: every test server has the same routes. */
let checker: Checker | undefined

function createChecker(app: App): Checker {
  const document = app.swagger() as unknown as Document
  const ajv = new Ajv2020({ strict: false, allErrors: true, ...QUICK_TO_COMPILE })
  ;(formats as unknown as (ajv: Ajv2020) => void)(ajv)
  ajv.addSchema(document, 'openapi')
  const compiled = new Map<string, ValidateFunction>()
  const paths = Object.keys(document.paths)
    .sort((a, b) => a.split('{').length - b.split('{').length)
    .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\/$/, '').replace(/\{\w+\}/g, '[^/]+')}/?$`) }))
  return {
    document,
    paths,
    validate(pointer) {
      const known = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` })
      compiled.set(pointer, known)
      return known
    },
  }
}

const EVENTS = 'text/event-stream'

/** The events of a stream, without the line that ends it. */
export const eventsIn = (stream: string): { message_type: string; [field: string]: unknown }[] =>
  [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json!))

/** The data of a stream's lines: JSON, or the text that ends the stream. */
const dataIn = (stream: string): unknown[] =>
  [...stream.matchAll(/^data: (.*)$/gm)].map(([, data]) => (data!.startsWith('{') ? JSON.parse(data!) : data))

const pointerPart = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

/** Throws when a reply to a documented operation has a status, a media type or a body that the OpenAPI document doesn't allow. */
export function checkReplies(app: App, method: string, url: string, status: number, sent: string, body: unknown): void {
  checker ??= createChecker(app)
  const path = checker.paths.find(({ pattern }) => pattern.test(url.split('?')[0]!))?.path
  const operation = path && checker.document.paths[path]?.[method.toLowerCase()]
  if (!operation || status === 304 || status === 500) return
  const documented = operation.responses[status]
  if (!documented) throw new Error(`${method} ${path} returned ${status}, which the OpenAPI document doesn't list.`)
  const types = Object.keys(documented.content ?? {})
  const isStream = types.includes(EVENTS) && typeof body === 'string'
  const type = isStream ? EVENTS : types[0]
  if (!type) return
  if (!sent.startsWith(type)) throw new Error(`${method} ${path} answered ${status} as ${sent}, not as ${type}.`)
  const pointer = ['paths', path, method.toLowerCase(), 'responses', String(status), 'content', type, 'schema']
  const validate = checker.validate(`/${pointer.map(pointerPart).join('/')}`)
  for (const value of isStream ? dataIn(body) : [body]) {
    if (validate(value)) continue
    throw new Error(
      `${method} ${path} answered ${status} with a body its schema refuses: ${JSON.stringify(validate.errors)}`,
    )
  }
}
