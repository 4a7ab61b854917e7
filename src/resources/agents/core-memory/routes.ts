import { Type } from 'typebox'
import { operationsOf } from '../../../http/operation.ts'
import type { App } from '../../../http/server.ts'
import { Ref } from '../../../lib/wire.ts'
import { Block, UpdateBlock } from '../../blocks/schema.ts'
import { Agent, AgentParams, Memory } from '../schema.ts'
import {
  attachBlock,
  detachBlock,
  getBlockByLabel,
  listBlocksOfAgent,
  memoryVariablesOf,
  modifyBlockByLabel,
  retrieveMemory,
} from './core-memory.ts'
import { AttachmentParams, LabelParams, ListBlocksOfAgent, Variables } from './schema.ts'

const readable = { clientAccess: { right: 'read_agent' } } as const
/** A client-side token may change these fields of a block: neither its label nor its attachments. */
const writable = { clientAccess: { right: 'write_agent', fields: ['value', 'description', 'metadata'] } } as const
const one = { 200: Ref(Block) }

const operations = operationsOf('core memory', {
  retrieve_core_memory: [
    "Retrieve an agent's memory (deprecated: list its blocks)",
    { deprecated: true, params: AgentParams, response: { 200: Ref(Memory) } },
    readable,
  ],
  list_blocks_of_agent: [
    'List the blocks of an agent, newest first',
    { params: AgentParams, querystring: ListBlocksOfAgent, response: { 200: Type.Array(Ref(Block)) } },
    readable,
  ],
  retrieve_memory_variables: [
    "Retrieve what an agent's blocks were filled with when it was made from a template",
    { params: AgentParams, response: { 200: Variables } },
    readable,
  ],
  retrieve_block_of_agent: ["Retrieve an agent's block by its label", { params: LabelParams, response: one }, readable],
  modify_block_of_agent: [
    "Modify an agent's block by its label",
    { params: LabelParams, body: UpdateBlock, response: one },
    writable,
  ],
  attach_block_to_agent: ['Attach a block to an agent', { params: AttachmentParams, response: { 200: Ref(Agent) } }],
  detach_block_from_agent: [
    'Detach a block from an agent',
    { params: AttachmentParams, response: { 200: Ref(Agent) } },
  ],
})

/** `/v1/agents/{agent_id}/core-memory` */
export async function coreMemoryRoutes(app: App) {
  app.get('/:agent_id/core-memory', operations.retrieve_core_memory, ({ scope, params }) =>
    retrieveMemory(scope, params.agent_id),
  )

  app.get('/:agent_id/core-memory/blocks', operations.list_blocks_of_agent, ({ scope, params, query }) =>
    listBlocksOfAgent(scope, params.agent_id, query),
  )

  app.get('/:agent_id/core-memory/variables', operations.retrieve_memory_variables, async ({ scope, params }) => ({
    variables: await memoryVariablesOf(scope, params.agent_id),
  }))

  app.get('/:agent_id/core-memory/blocks/:label', operations.retrieve_block_of_agent, ({ scope, params }) =>
    getBlockByLabel(scope, params.agent_id, params.label),
  )

  app.patch('/:agent_id/core-memory/blocks/:label', operations.modify_block_of_agent, ({ scope, params, body }) =>
    modifyBlockByLabel(scope, params.agent_id, params.label, body),
  )

  app.patch('/:agent_id/core-memory/blocks/attach/:block_id', operations.attach_block_to_agent, ({ scope, params }) =>
    attachBlock(scope, params.agent_id, params.block_id),
  )

  app.patch('/:agent_id/core-memory/blocks/detach/:block_id', operations.detach_block_from_agent, ({ scope, params }) =>
    detachBlock(scope, params.agent_id, params.block_id),
  )
}
