import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { ensureBuiltinTools } from './builtin.ts'
import { generateSchema } from './function-schema.ts'
import { FoundTool, FunctionSchema, GenerateSchema, SearchTools, Tool } from './schema.ts'
import { searchTools } from './search.ts'
import type { SourceReader } from './source/reader.ts'
import type { ToolVectors } from './vectors.ts'

const operation = operationsOf('tools')

/** `/v1/tools/{action}`: requests about tools in general. */
export const toolActionRoutes =
  ({ reader, toolVectors }: { reader: SourceReader; toolVectors: ToolVectors }) =>
  async (app: App) => {
    app.post(
      '/search',
      operation(
        'search_tools',
        'Search tools, the best first',
        { body: SearchTools, response: { 200: Type.Array(FoundTool) } },
        { right: 'read' },
      ),
      ({ scope, body }) => searchTools(scope, toolVectors, body),
    )

    app.post(
      '/add-base-tools',
      operation('add_base_tools', 'Add the built-in tools that are missing, and list them all', {
        response: { 200: Type.Array(Ref(Tool)) },
      }),
      ({ scope }) => ensureBuiltinTools(scope),
    )

    app.post(
      '/generate-schema',
      operation(
        'generate_json_schema',
        'Derive what models are told of a tool from its source, and keep nothing',
        { body: GenerateSchema, response: { 200: FunctionSchema } },
        { right: 'read' },
      ),
      ({ body }) => generateSchema(reader, body),
    )
  }
