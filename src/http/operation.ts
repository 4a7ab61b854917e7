import type { ContextConfigDefault, FastifyContextConfig, FastifySchema } from 'fastify'

/** Describes one operation: its id and summary for the OpenAPI document, its schemas, and the configuration of its route. */
type DescribeOperation = <const Id extends string, const S extends FastifySchema>(
  operationId: Id,
  summary: string,
  schema: S,
  config?: FastifyContextConfig & ContextConfigDefault,
) => {
  schema: S & { operationId: Id; summary: string; tags: string[] }
  config?: FastifyContextConfig & ContextConfigDefault
}

/** The operations under one tag of the OpenAPI document, as options of their routes. */
export const operationsOf =
  (tag: string): DescribeOperation =>
  (operationId, summary, schema, config) => ({
    schema: { operationId, summary, tags: [tag], ...schema },
    ...(config && { config }),
  })
