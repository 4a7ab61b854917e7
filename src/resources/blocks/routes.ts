import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { countBlocks, createBlock, listBlocks } from './blocks.ts'
import { Block, CountBlocks, CreateBlock, ListBlocks } from './schema.ts'

const tags = ['blocks']

/** `/v1/blocks` */
export async function blockRoutes(app: App) {
  app.get(
    '/',
    {
      schema: {
        operationId: 'list_blocks',
        summary: 'List blocks, oldest first',
        tags,
        querystring: ListBlocks,
        response: { 200: Type.Array(Ref(Block)) },
      },
    },
    ({ scope, query }) => listBlocks(scope, query),
  )

  app.get(
    '/count',
    {
      schema: {
        operationId: 'count_blocks',
        summary: 'Count blocks',
        tags,
        querystring: CountBlocks,
        response: { 200: Type.Integer() },
      },
    },
    ({ scope, query }) => countBlocks(scope, query),
  )

  app.post(
    '/',
    {
      schema: {
        operationId: 'create_block',
        summary: 'Create a block',
        tags,
        body: CreateBlock,
        response: { 200: Ref(Block) },
      },
    },
    ({ scope, body }) => createBlock(scope, body),
  )
}
