import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { modifyBlock } from './blocks.ts'
import { Block, BlockParams, blocks, UpdateBlock } from './schema.ts'

const tags = ['blocks']
const params = BlockParams
const one = { 200: Ref(Block) }

/** `/v1/blocks/{block_id}` */
export async function blockItemRoutes(app: App) {
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
      schema: { operationId: 'delete_block', summary: 'Delete a block', tags, params, response: { 200: Type.Null() } },
    },
    async ({ scope, params }) => {
      await scope.remove(blocks, params.block_id)
      return null
    },
  )
}
