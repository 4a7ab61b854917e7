import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { ListTags } from './schema.ts'
import { listTags } from './tags.ts'

/** `/v1/tags` */
export async function tagRoutes(app: App) {
  app.get(
    '/',
    {
      schema: {
        operationId: 'list_tags',
        summary: 'List the tags of agents and blocks',
        tags: ['tags'],
        querystring: ListTags,
        response: { 200: Type.Array(Type.String()) },
      },
    },
    ({ scope, query }) => listTags(scope, query),
  )
}
