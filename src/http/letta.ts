import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Names } from '../db/render/json-columns.ts'
import { Rendered } from '../db/render/rendered.ts'
import { FIELDS, NEUTRAL_FIELDS, NEUTRAL_VALUES, VALUES } from '../lib/vendor-names.ts'
import { decode, encode, type Resolve, type Schema } from './codec.ts'
import type { Invalid } from './validation-messages.ts'

/**
 * The surface for clients of the Letta API: the same routes under another prefix, in the vendor's names. Unknown
 * parameters and keys are ignored there, and a `null` at the top of a PATCH leaves the field as it is.
 */
const LETTA_PREFIX = '/letta'

const ENTERED = Symbol('letta')

/** The path of the route behind a path of this surface, which is noted on the request; any other path as it is. */
export function enterLetta(raw: IncomingMessage, url: string): string {
  if (!url.startsWith(`${LETTA_PREFIX}/`)) return url
  Object.assign(raw, { [ENTERED]: true })
  return url.slice(LETTA_PREFIX.length)
}

/** Whether a request came by this surface. */
export const isLetta = (request: FastifyRequest): boolean => ENTERED in request.raw

/** The names a request is answered in. */
export const namesOf = (request: FastifyRequest): Names => (isLetta(request) ? 'vendor' : 'neutral')

/** What stands before a route's path on the surface a request came by. */
export const surfaceOf = (request: FastifyRequest): string => (isLetta(request) ? LETTA_PREFIX : '')

/** A validation error in the vendor's names: fields the schema knows, and the values it allows. */
function nameFault(error: Invalid): Invalid {
  const { instancePath, schemaPath, params } = error
  const nameOf = (part: string) => (schemaPath.includes(`/properties/${part}/`) ? (FIELDS[part] ?? part) : part)
  const { allowedValues } = params as { allowedValues?: unknown[] }
  const allowed = (value: unknown) => VALUES[String(value)] ?? value
  return {
    ...error,
    instancePath: instancePath.split('/').map(nameOf).join('/'),
    params: { ...params, ...(allowedValues && { allowedValues: allowedValues.map(allowed) }) },
  }
}

/** Gives a validation error the names of the surface a request came by; undefined where they are its own. */
export const namesFor = (request: FastifyRequest) => (isLetta(request) ? nameFault : undefined)

/**
 * The language of the SDK of the older generation (0.x) a request comes by; undefined for any other client. Those SDKs
 * name themselves so, and can't read some answers the newer ones await.
 */
export const olderSdk = (request: FastifyRequest): string | undefined =>
  isLetta(request) ? (request.headers['x-fern-language'] as string | undefined) : undefined

/** The neutral name of a parameter or a form's field; undefined for one the schema doesn't know. */
function knownName(given: string, { properties = {} }: Schema): string | undefined {
  const bare = given.replace(/\[\]$/, '')
  const name = Object.hasOwn(NEUTRAL_FIELDS, bare) ? NEUTRAL_FIELDS[bare]! : bare
  return Object.hasOwn(properties, name) ? name : undefined
}

/** The name by which a route knows a form's field, as `knownName`; without the surface, the name that is given. */
export const formName = (request: FastifyRequest, given: string): string | undefined =>
  isLetta(request) ? knownName(given, request.routeOptions.schema!.body as Schema) : given

/** A query string in neutral names, with the parameters the route knows. */
function decodeQuery(query: Record<string, string | string[]>, known: Schema) {
  const parameters = Object.entries(query).flatMap(([sent, value]) => {
    const name = knownName(sent, known)
    if (name === undefined) return []
    const schema = known.properties![name]!
    const neutral = (text: string) => ((schema.enum ?? schema.items?.enum) ? (NEUTRAL_VALUES[text] ?? text) : text)
    // Ids and the values of enumerations may be given in one, with commas between them.
    const { enum: allowed, pattern } = schema.items ?? {}
    const given = [value].flat().flatMap((text) => (allowed || pattern ? text.split(',') : text))
    return [[name, given.length === 1 ? neutral(given[0]!) : given.map(neutral)]]
  })
  return Object.fromEntries(parameters)
}

/** The fields of a patch that are to be changed. */
const withoutNulls = (patch: object) => Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== null))

/** The shape a route answers a status with, as the OpenAPI document has it. */
function answerSchema({ routeOptions }: FastifyRequest, status: number): Schema | undefined {
  const answers = routeOptions.schema?.response as Record<string, Answer> | undefined
  return answers?.[status]?.content?.['application/json']?.schema
}

interface Answer {
  content?: { 'application/json'?: { schema: Schema } }
}

const resolverOf = (shapes: readonly TSchema[]): Resolve => {
  const byId = new Map(shapes.map((shape) => [`${(shape as { $id?: string }).$id}#`, shape as Schema]))
  return (ref) => byId.get(ref)!
}

/** Gives one value the names of the surface that a request came by, along the schema of the value. */
export type Translate = (request: FastifyRequest, schema: TSchema, value: unknown) => unknown

/**
 * Translates values that don't pass the hooks of `addLetta`, such as single events. `shapes`: those schemas refer to.
 */
export function createTranslate(shapes: readonly TSchema[]): Translate {
  const resolve = resolverOf(shapes)
  return (request, schema, value) => (isLetta(request) ? encode(schema as Schema, value, resolve) : value)
}

/** Translates requests before they are validated, and responses before they are serialized. */
export function addLetta(app: FastifyInstance, shapes: readonly TSchema[]): void {
  const resolve = resolverOf(shapes)

  app.addHook('preValidation', (request, _reply, done) => {
    const { schema } = request.routeOptions
    if (!isLetta(request) || !schema) return done()
    if (schema.querystring) request.query = decodeQuery(request.query as never, schema.querystring as Schema)
    const { body } = request
    if (schema.body && body !== null && typeof body === 'object') {
      const given = request.method === 'PATCH' && !Array.isArray(body) ? withoutNulls(body) : body
      request.body = decode(schema.body as Schema, given, resolve)
    }
    done()
  })

  app.addHook('preSerialization', (request, reply, payload: unknown, done) => {
    if (!isLetta(request) || reply.statusCode >= 400) return done(null, payload)
    // What the database has written bears the caller's names already.
    const schema = payload instanceof Rendered ? undefined : answerSchema(request, reply.statusCode)
    done(null, schema ? encode(schema, payload, resolve) : payload)
  })
}
