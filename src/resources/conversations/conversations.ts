import { escapeLike } from '../../db/escape-like.ts'
import type { Rendered } from '../../db/render/rendered.ts'
import type { Scope } from '../../db/scope.ts'
import { catalogOf } from '../models/handles.ts'
import { blocksWithLabels, copyBlocks } from './isolated-blocks.ts'
import {
  type Conversation,
  type CreateConversation,
  conversations,
  type ListConversations,
  listedConversations,
  type UpdateConversation,
} from './schema.ts'
import { insertThread } from './thread.ts'

/** Conversations of the organization, newest first. 404 for an agent that the organization doesn't have. */
export async function listConversations(scope: Scope, { agent_id, summary_search, ...page }: ListConversations) {
  if (agent_id !== undefined) await scope.exists('agents', agent_id)
  return scope.list(listedConversations, page, (query) =>
    query
      .$if(agent_id !== undefined, (q) => q.where('conversations.agent_id', '=', agent_id!))
      .$if(summary_search !== undefined, (q) =>
        q.where('conversations.summary', 'ilike', `%${escapeLike(summary_search!)}%`),
      ),
  )
}

/** 422 for a handle that names no model. */
async function checkModel(scope: Scope, model: string | null | undefined): Promise<void> {
  if (model) (await catalogOf(scope, { llm: [model] })).llm(model)
}

/**
 * Makes a conversation, with copies of the agent's blocks that are to be its own. 404 for the agent, 400 for a label that no
 * block of the agent has, 422 for a handle that names no model.
 */
export async function createConversation(
  scope: Scope,
  agent_id: string,
  body: CreateConversation,
): Promise<Rendered<Conversation>> {
  await checkModel(scope, body.model)
  return scope.transaction(async (tx) => {
    const { id } = await tx.insert(listedConversations, { ...body, agent_id })
    await copyBlocks(tx, id, await blocksWithLabels(tx, agent_id, body.isolated_block_labels ?? []))
    await insertThread(tx, { id, agent_id }, [])
    return tx.retrieve(conversations, id)
  })
}

/** Changes the fields that the body names; null clears a field. 404, 412; 422 for a handle that names no model. */
export async function modifyConversation(scope: Scope, id: string, body: UpdateConversation) {
  await checkModel(scope, body.model)
  return scope.update(conversations, id, body)
}
