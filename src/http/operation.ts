import type { ContextConfigDefault, FastifyContextConfig, FastifySchema, preHandlerHookHandler } from 'fastify'

type RouteConfig = FastifyContextConfig & ContextConfigDefault

/** One operation: its summary for the OpenAPI document, its schemas, and the configuration of its route. */
type Operation<S extends FastifySchema> = readonly [summary: string, schema: S, config?: RouteConfig]

/** The options of a route for an operation. */
interface OperationOptions<S extends FastifySchema> {
  schema: S
  config?: RouteConfig
  preHandler?: preHandlerHookHandler
}

/** The options of a route for an operation under a tag of the OpenAPI document. A single documented status is the response's. */
export function operationOf<const S extends FastifySchema>(
  tag: string,
  operationId: string,
  ...[summary, schema, config]: Operation<S>
): OperationOptions<S> {
  const [status = 200, ...others] = Object.keys((schema.response as object | undefined) ?? {}).map(Number)
  const preHandler: preHandlerHookHandler = (_request, reply, done) => {
    reply.code(status)
    done()
  }
  return {
    schema: { operationId, summary, tags: [tag], ...schema },
    ...(config && { config }),
    ...(status !== 200 && others.length === 0 && { preHandler }),
  }
}

/** The options of the routes for the operations under one tag of the OpenAPI document, by their ids. */
export function operationsOf<const T extends Record<string, Operation<FastifySchema>>>(tag: string, operations: T) {
  const options = Object.entries(operations).map(([id, operation]) => [id, operationOf(tag, id, ...operation)])
  return Object.fromEntries(options) as { [Id in keyof T]: OperationOptions<T[Id][1]> }
}
