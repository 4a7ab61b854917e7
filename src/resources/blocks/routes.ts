import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { listAgentsOf } from '../agents/agents.ts'
import { ListRelatedAgents } from '../agents/query.ts'
import { Agent } from '../agents/schema.ts'
import { attachIdentity, countBlocks, createBlock, detachIdentity, listBlocks, modifyBlock } from './blocks.ts'
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

  app.get(
    '/:block_id/agents',
    {
      schema: {
        operationId: 'list_agents_of_block',
        summary: 'List the agents a block is attached to',
        tags,
        params,
        querystring: ListRelatedAgents,
        response: { 200: Type.Array(Ref(Agent)) },
      },
    },
    async ({ scope, params, query }) => {
      await scope.exists('blocks', params.block_id)
      return listAgentsOf(scope, 'agents_blocks', 'block_id', params.block_id, query)
    },
  )

  app.patch(
    '/:block_id/identities/attach/:identity_id',
    {
      schema: {
        operationId: 'attach_identity_to_block',
        summary: 'Link a block to an identity',
        tags,
        params: BlockIdentityParams,
        response: one,
      },
    },
    ({ scope, params }) => attachIdentity(scope, params.block_id, params.identity_id),
  )

  app.patch(
    '/:block_id/identities/detach/:identity_id',
    {
      schema: {
        operationId: 'detach_identity_from_block',
        summary: 'Remove the link between a block and an identity',
        tags,
        params: BlockIdentityParams,
        response: one,
      },
    },
    ({ scope, params }) => detachIdentity(scope, params.block_id, params.identity_id),
  )
}
