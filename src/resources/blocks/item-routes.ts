import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { modifyBlock } from './blocks.ts'
import { Block, BlockParams, blocks, UpdateBlock } from './schema.ts'

const operation = operationsOf('blocks')
const params = BlockParams
const one = { 200: Ref(Block) }

/** `/v1/blocks/{block_id}` */
export async function blockItemRoutes(app: App) {
  app.get(
    '/:block_id',
    operation('retrieve_block', 'Retrieve a block', { params, response: one }),
    ({ scope, params }) => scope.retrieve(blocks, params.block_id),
  )

  app.patch(
    '/:block_id',
    operation('modify_block', 'Modify a block', { params, body: UpdateBlock, response: one }),
    ({ scope, params, body }) => modifyBlock(scope, params.block_id, body),
  )

  app.delete(
    '/:block_id',
    operation('delete_block', 'Delete a block', { params, response: { 200: Type.Null() } }),
    async ({ scope, params }) => {
      await scope.remove(blocks, params.block_id)
      return null
    },
  )
}
