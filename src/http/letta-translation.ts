import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { UNTRANSLATED } from '../db/render/json-columns.ts'
import { Rendered } from '../db/render/rendered.ts'
import { omitNullFields } from '../lib/json.ts'
import { expectsRelations, isLetta } from './letta.ts'
import { neutralQuery } from './letta-parameters.ts'
import { type Resolve, type Schema, toNeutralNames, toVendorNames } from './translation.ts'

interface Response {
  content?: { 'application/json'?: { schema: Schema } }
}

/** The schema of a route's response with this status, as the OpenAPI document shows it. */
function responseSchema({ routeOptions }: FastifyRequest, status: number): Schema | undefined {
  const responses = routeOptions.schema?.response as Record<string, Response> | undefined
  return responses?.[status]?.content?.['application/json']?.schema
}

const resolverOf = (shapes: readonly TSchema[]): Resolve => {
  const byId = new Map(shapes.map((shape) => [`${(shape as { $id?: string }).$id}#`, shape as Schema]))
  return (ref) => byId.get(ref)!
}

/** Translates one value to the names of a request's surface, along the schema of the value. */
export type Translate = (request: FastifyRequest, schema: TSchema, value: unknown) => unknown

/** Translates values that don't pass the hooks of `addLetta`, such as single events. `shapes`: the targets of `$ref`. */
export function createTranslate(shapes: readonly TSchema[]): Translate {
  const resolve = resolverOf(shapes)
  return (request, schema, value) => (isLetta(request) ? toVendorNames(schema as Schema, value, resolve) : value)
}

/** The fields that a patch changes: on this surface, null leaves a field as it is. */
const changedFields = (patch: object) => omitNullFields(patch)

/** A query for agents that includes every relation, unless `include_relationships` names the relations. */
const withAllRelations = (query: object, { properties = {} }: Schema) =>
  !properties.include_relationships || 'include_relationships' in query
    ? query
    : { ...query, include: properties.include!.items!.enum }

/** Rendered JSON in the vendor's names throughout. Equal parts that aren't yet are translated once. */
function translateRendered(payload: Rendered<unknown>, resolve: Resolve): Rendered<unknown> {
  const translated = new Map<string, string>()
  const translate = (field: string, json: string) => {
    const key = field + json
    const known = translated.get(key)
    if (known !== undefined) return known
    const [shape, name] = field.split('.') as [string, string]
    const schema = resolve(`${shape}#`).properties![name]!
    const text = JSON.stringify(toVendorNames(schema, JSON.parse(json), resolve, shape))
    translated.set(key, text)
    return text
  }
  const { segments, ...marks } = payload
  const translateSegment = (segment: string) => {
    if (!segment.includes(UNTRANSLATED)) return segment
    // Text, a field, its JSON, text, …
    const parts = segment.split(UNTRANSLATED)
    for (let at = 1; at < parts.length; at += 3) {
      parts[at] = translate(parts[at]!, parts[at + 1]!)
      parts[at + 1] = ''
    }
    return parts.join('')
  }
  return new Rendered(segments.map(translateSegment), marks)
}

/** The marks of a response, such as its version, which aren't fields. */
const marksOf = (payload: object) =>
  Object.fromEntries(Object.getOwnPropertySymbols(payload).map((mark) => [mark, Reflect.get(payload, mark)]))

/** Translates requests before they are validated, and responses before they are serialized. */
export function addLetta(app: FastifyInstance, shapes: readonly TSchema[]): void {
  const resolve = resolverOf(shapes)

  app.addHook('preValidation', (request, _reply, done) => {
    const { schema } = request.routeOptions
    if (!isLetta(request) || !schema) return done()
    if (schema.querystring) {
      const known = schema.querystring as Schema
      const query = neutralQuery(request.query as never, known)
      request.query = expectsRelations(request) ? withAllRelations(query, known) : query
    }
    const { body } = request
    if (schema.body && body !== null && typeof body === 'object') {
      const fields = request.method === 'PATCH' && !Array.isArray(body) ? changedFields(body) : body
      request.body = toNeutralNames(schema.body as Schema, fields, resolve)
    }
    done()
  })

  app.addHook('preSerialization', (request, reply, payload: unknown, done) => {
    if (!isLetta(request) || reply.statusCode >= 400) return done(null, payload)
    if (payload instanceof Rendered) return done(null, translateRendered(payload, resolve))
    const schema = responseSchema(request, reply.statusCode)
    if (!schema || payload === null || typeof payload !== 'object') return done(null, payload)
    done(null, Object.assign(toVendorNames(schema, payload, resolve) as object, marksOf(payload)))
  })
}
