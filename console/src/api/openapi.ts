import type { RJSFSchema } from '@rjsf/utils'
import { useQuery } from '@tanstack/react-query'
import { SERVER_PATH } from './place.ts'

interface OpenApi {
  components: { schemas: Record<string, RJSFSchema> }
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: RJSFSchema }> } }>>
}

const isNull = (schema: RJSFSchema) => schema.type === 'null'

/** A schema for a form: without `null`, which a form expresses by an empty control. */
export function withoutNull(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutNull)
  if (typeof schema !== 'object' || schema === null) return schema
  const { anyOf, type, title: _, pattern: __, ...rest } = schema as RJSFSchema
  const inner = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withoutNull(value)]))
  const types = Array.isArray(type) ? type.filter((one) => one !== 'null') : type
  const choices = anyOf?.filter((choice) => typeof choice === 'object' && !isNull(choice)).map(withoutNull) as
    | RJSFSchema[]
    | undefined
  if (choices?.length === 1) return { ...inner, ...choices[0] }
  return {
    ...inner,
    ...(types !== undefined && { type: Array.isArray(types) && types.length === 1 ? types[0] : types }),
    ...(choices && { anyOf: choices }),
  }
}

/** The JSON schema of an operation's body, from the server's own OpenAPI document, for a form. */
export const useBodySchema = (path: string, method: 'post' | 'patch' | 'put') =>
  useQuery({
    queryKey: ['openapi'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => (await fetch(`${SERVER_PATH}/openapi.json`)).json() as Promise<OpenApi>,
    select: ({ paths, components }) => {
      const body = paths[path]?.[method]?.requestBody?.content['application/json']?.schema
      return withoutNull({ ...body, components }) as RJSFSchema
    },
  })
