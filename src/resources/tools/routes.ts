import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { createKeyedMutex } from '../../lib/keyed-mutex.ts'
import { Ref } from '../../lib/wire.ts'
import { namedProject } from '../projects/projects.ts'
import { ProjectHeaders } from '../projects/schema.ts'
import { createTool } from './create.ts'
import type { ToolDeps } from './modify.ts'
import { CountTools, CreateTool, ListTools, Tool } from './schema.ts'
import { countTools, listTools } from './tools.ts'
import { upsertTool } from './upsert.ts'

const operation = operationsOf('tools')
const toMake = { headers: ProjectHeaders, body: CreateTool, response: { 200: Ref(Tool) } }

/** `/v1/tools` */
export const toolRoutes = (deps: ToolDeps) => async (app: App) => {
  const mutex = createKeyedMutex()

  app.get(
    '/',
    operation('list_tools', 'List tools, newest first', {
      headers: ProjectHeaders,
      querystring: ListTools,
      response: { 200: Type.Array(Ref(Tool)) },
    }),
    async ({ scope, query, headers }) => listTools(scope, query, await namedProject(scope, headers)),
  )

  app.get(
    '/count',
    operation('count_tools', 'Count tools', {
      headers: ProjectHeaders,
      querystring: CountTools,
      response: { 200: Type.Integer() },
    }),
    async ({ scope, query, headers }) => countTools(scope, query, await namedProject(scope, headers)),
  )

  app.post('/', operation('create_tool', 'Create a tool', toMake), async ({ scope, body, headers }) =>
    createTool(scope, deps.reader, body, await namedProject(scope, headers)),
  )

  app.put(
    '/',
    operation('upsert_tool', 'Create the tool of a name, or set what is given on the one there is', toMake),
    async ({ scope, body, headers }) => upsertTool(scope, deps, mutex, body, await namedProject(scope, headers)),
  )
}
