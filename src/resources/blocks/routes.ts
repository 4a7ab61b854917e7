import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { callerGone } from '../../http/sse.ts'
import { Ref } from '../../lib/wire.ts'
import { attachIdentity, countBlocks, createBlock, detachIdentity, listBlocks, modifyBlock } from './blocks.ts'
import { listBlockVersions, restoreBlock } from './history/history.ts'
import { BlockVersion, ListBlockVersions, RestoreBlock } from './history/schema.ts'
import {
  Block,
  BlockIdentityParams,
  BlockParams,
  blocks,
  CountBlocks,
  CreateBlock,
  ListBlocks,
  UpdateBlock,
} from './schema.ts'

const params = BlockParams
const one = { 200: Ref(Block) }
const link = { params: BlockIdentityParams, response: one }

const operations = operationsOf('blocks', {
  list_blocks: ['List blocks, oldest first', { querystring: ListBlocks, response: { 200: Type.Array(Ref(Block)) } }],
  count_blocks: ['Count blocks', { querystring: CountBlocks, response: { 200: Type.Integer() } }],
  create_block: ['Create a block', { body: CreateBlock, response: one }],
  retrieve_block: ['Retrieve a block', { params, response: one }],
  modify_block: ['Modify a block', { params, body: UpdateBlock, response: one }],
  delete_block: ['Delete a block', { params, response: { 200: Type.Null() } }],
  list_block_versions: [
    'List the changes of a block, the last one first: who made each, and the block as it left it. A page of large versions ends before its limit: the header `Link` has the next one',
    { params, querystring: ListBlockVersions, response: { 200: Type.Array(Ref(BlockVersion)) } },
  ],
  restore_block: ['Give a block the settings of a former version', { params, body: RestoreBlock, response: one }],
  attach_identity_to_block: ['Link a block to an identity', link],
  detach_identity_from_block: ['Remove the link between a block and an identity', link],
})

/** `/v1/blocks` */
export async function blockRoutes(app: App) {
  app.get('/', operations.list_blocks, ({ scope, query }, reply) => listBlocks(scope, query, callerGone(reply)))
  app.get('/count', operations.count_blocks, ({ scope, query }, reply) => countBlocks(scope, query, callerGone(reply)))
  app.post('/', operations.create_block, ({ scope, body }) => createBlock(scope, body))
  app.get('/:block_id', operations.retrieve_block, ({ scope, params }) => scope.retrieve(blocks, params.block_id))

  app.patch('/:block_id', operations.modify_block, ({ scope, params, body }) =>
    modifyBlock(scope, params.block_id, body),
  )

  app.delete('/:block_id', operations.delete_block, async ({ scope, params }) => {
    await scope.remove(blocks, params.block_id)
    return null
  })

  app.get('/:block_id/history', operations.list_block_versions, ({ scope, params, query }) =>
    listBlockVersions(scope, params.block_id, query),
  )

  app.patch('/:block_id/restore', operations.restore_block, ({ scope, params, body }) =>
    restoreBlock(scope, params.block_id, body.version),
  )
}

/** `/v1/blocks/{block_id}/identities` */
export async function blockIdentityRoutes(app: App) {
  app.patch('/:block_id/identities/attach/:identity_id', operations.attach_identity_to_block, ({ scope, params }) =>
    attachIdentity(scope, params.block_id, params.identity_id),
  )

  app.patch('/:block_id/identities/detach/:identity_id', operations.detach_identity_from_block, ({ scope, params }) =>
    detachIdentity(scope, params.block_id, params.identity_id),
  )
}
