import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { countBlocks, createBlock, listBlocks, modifyBlock } from './blocks.ts'
import { Block, BlockParams, blocks, CountBlocks, CreateBlock, ListBlocks, UpdateBlock } from './schema.ts'

const tags = ['blocks']
const params = BlockParams
const one = { 200: Ref(Block) }

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
    { schema: { operationId: 'create_block', summary: 'Create a block', tags, body: CreateBlock, response: one } },
    ({ scope, body }) => createBlock(scope, body),
  )

  app.get(
    '/:block_id',
    { schema: { operationId: 'retrieve_block', summary: 'Retrieve a block', tags, params, response: one } },
    ({ scope, params }) => scope.retrieve(blocks, params.block_id),
  )

  app.patch(
    '/:block_id',
    {
      schema: {
        operationId: 'modify_block',
        summary: 'Modify a block',
        tags,
        params,
        body: UpdateBlock,
        response: one,
      },
    },
    ({ scope, params, body }) => modifyBlock(scope, params.block_id, body),
  )

  app.delete(
    '/:block_id',
    {
      schema: {
        operationId: 'delete_block',
        summary: 'Delete a block',
        tags,
        params,
        response: { 200: Type.Null() },
      },
    },
    async ({ scope, params }) => {
      await scope.remove(blocks, params.block_id)
      return null
    },
  )
}
