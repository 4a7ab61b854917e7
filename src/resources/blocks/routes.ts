import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { countBlocks, createBlock, listBlocks } from './blocks.ts'
import { Block, CountBlocks, CreateBlock, ListBlocks } from './schema.ts'

const operation = operationsOf('blocks')

/** `/v1/blocks` */
export async function blockRoutes(app: App) {
  app.get(
    '/',
    operation('list_blocks', 'List blocks, oldest first', {
      querystring: ListBlocks,
      response: { 200: Type.Array(Ref(Block)) },
    }),
    ({ scope, query }) => listBlocks(scope, query),
  )

  app.get(
    '/count',
    operation('count_blocks', 'Count blocks', { querystring: CountBlocks, response: { 200: Type.Integer() } }),
    ({ scope, query }) => countBlocks(scope, query),
  )

  app.post(
    '/',
    operation('create_block', 'Create a block', { body: CreateBlock, response: { 200: Ref(Block) } }),
    ({ scope, body }) => createBlock(scope, body),
  )
}
