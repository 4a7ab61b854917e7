import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { ListTags } from './schema.ts'
import { listTags } from './tags.ts'

const operations = operationsOf('tags', {
  list_tags: [
    'List the tags of agents and blocks',
    { querystring: ListTags, response: { 200: Type.Array(Type.String()) } },
  ],
})

/** `/v1/tags` */
export async function tagRoutes(app: App) {
  app.get('/', operations.list_tags, ({ scope, query }) => listTags(scope, query))
}
