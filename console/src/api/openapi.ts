import type { RJSFSchema } from '@rjsf/utils'
import { useQuery } from '@tanstack/react-query'
import { SERVER_PATH } from './place.ts'
import { withoutNull } from './without-null.ts'

interface OpenApi {
  components: { schemas: Record<string, RJSFSchema> }
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { schema: RJSFSchema }> } }>>
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
