import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { ensureBuiltinTools } from './builtin.ts'
import { generateSchema } from './function-schema.ts'
import { FoundTool, FunctionSchema, GenerateSchema, SearchTools, Tool } from './schema.ts'
import { searchTools } from './search.ts'
import type { SourceReader } from './source/reader.ts'
import type { ToolVectors } from './vectors.ts'

const tags = ['tools']

/** `/v1/tools/{action}`: requests about tools in general. */
export const toolActionRoutes =
  ({ reader, toolVectors }: { reader: SourceReader; toolVectors: ToolVectors }) =>
  async (app: App) => {
    app.post(
      '/search',
      {
        config: { right: 'read' },
        schema: {
          operationId: 'search_tools',
          summary: 'Search tools, the best first',
          tags,
          body: SearchTools,
          response: { 200: Type.Array(FoundTool) },
        },
      },
      ({ scope, body }) => searchTools(scope, toolVectors, body),
    )

    app.post(
      '/add-base-tools',
      {
        schema: {
          operationId: 'add_base_tools',
          summary: 'Add the built-in tools that are missing, and list them all',
          tags,
          response: { 200: Type.Array(Ref(Tool)) },
        },
      },
      ({ scope }) => ensureBuiltinTools(scope),
    )

    app.post(
      '/generate-schema',
      {
        config: { right: 'read' },
        schema: {
          operationId: 'generate_json_schema',
          summary: 'Derive what models are told of a tool from its source, and keep nothing',
          tags,
          body: GenerateSchema,
          response: { 200: FunctionSchema },
        },
      },
      ({ body }) => generateSchema(reader, body),
    )
  }
