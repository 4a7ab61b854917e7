import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { Rendered } from '../db/render/rendered.ts'
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
const changedFields = (patch: object) => Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== null))

/** A query for agents that includes every relation, unless `include_relationships` names the relations. */
const withAllRelations = (query: object, { properties = {} }: Schema) =>
  !properties.include_relationships || 'include_relationships' in query
    ? query
    : { ...query, include: properties.include!.items!.enum }

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
    // The database renders JSON in the caller's names.
    const schema = payload instanceof Rendered ? undefined : responseSchema(request, reply.statusCode)
    done(null, schema ? toVendorNames(schema, payload, resolve) : payload)
  })
}
