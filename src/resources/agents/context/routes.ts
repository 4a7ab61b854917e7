import { Type } from 'typebox'
import { renderString } from '../../../db/render/wrap.ts'
import { operationsOf } from '../../../http/operation.ts'
import { prepared } from '../../../http/prepared.ts'
import type { App } from '../../../http/server.ts'
import { callerGone } from '../../../http/sse.ts'
import { JsonMap, Ref } from '../../../lib/wire.ts'
import { prepareSummary, storeSummary } from '../../../runtime/compaction/summarize-thread.ts'
import { generate, type ModelServices } from '../../../runtime/generate.ts'
import { contextOverview } from '../../../runtime/overview.ts'
import { previewRequest } from '../../../runtime/preview.ts'
import { recompileThread, resetThread } from '../../../runtime/recompile.ts'
import { SendBody } from '../../messages/body.ts'
import type { Target } from '../../messages/table.ts'
import { retrieveAgent } from '../agents.ts'
import { ALL_RELATIONS } from '../relations.ts'
import { Agent, AgentParams } from '../schema.ts'
import {
  ContextOverview,
  Generate,
  Generated,
  Recompile,
  ResetMessages,
  RetrieveContext,
  SummarizedMessages,
  SummarizeMessages,
} from './schema.ts'

const params = AgentParams
const prompt = { params, querystring: Recompile, response: { 200: Type.String() } }

const operations = operationsOf('agents', {
  retrieve_context: [
    'Retrieve the parts of the context of an agent, with their tokens',
    { params, querystring: RetrieveContext, response: { 200: Ref(ContextOverview) } },
  ],
  recompile_agent: ['Compile the system prompt of an agent anew', prompt],
  recompile_system_prompt: ['Compile the system prompt of an agent anew', { ...prompt, deprecated: true }],
  reset_messages: [
    'Empty the context of an agent but for its system prompt; its messages stay listed',
    { params, body: ResetMessages, response: { 200: Ref(Agent) } },
  ],
  summarize_messages: [
    'Replace messages in the context of an agent by a summary; they stay listed',
    { params, body: SummarizeMessages, response: { 200: Ref(SummarizedMessages) } },
    { callsUpstream: true },
  ],
  generate_text: [
    'Call the model of an agent once, without its memory and its tools',
    { params, body: Generate, response: { 200: Ref(Generated) } },
    { callsUpstream: true, idempotency: 'claimed' },
  ],
  preview_raw_payload: [
    'Retrieve the request that would go to the model provider; nothing is sent',
    { params, body: SendBody, response: { 200: JsonMap() } },
    { right: 'read' },
  ],
})

const refOf = ({ agent_id }: { agent_id: string }) => ({ agentId: agent_id, threadId: agent_id })

/** The thread of a conversation; without one, or for `default`, the agent's own. */
const inConversation = (target: Target, id: string | undefined): Target =>
  id === undefined || id === 'default' ? target : { ...target, threadId: id, conversationId: id }

/** `/v1/agents/{agent_id}/context`, and the operations that change or use the context. */
export const agentContextRoutes = (services: ModelServices) => async (app: App) => {
  app.get('/:agent_id/context', operations.retrieve_context, ({ scope, params, query }) =>
    contextOverview(scope, inConversation(refOf(params), query.conversation_id)),
  )

  app.post('/:agent_id/recompile', operations.recompile_agent, async ({ scope, params, query }) =>
    renderString(await recompileThread(scope, refOf(params), query)),
  )

  app.post('/:agent_id/system-prompt/recompile', operations.recompile_system_prompt, async ({ scope, params, query }) =>
    renderString(await recompileThread(scope, refOf(params), query)),
  )

  app.patch('/:agent_id/reset-messages', operations.reset_messages, ({ scope, params, body }) =>
    scope.transaction(async (tx) => {
      await resetThread(tx, refOf(params), body?.add_default_initial_messages ?? false)
      return retrieveAgent(tx, params.agent_id, { include: ALL_RELATIONS })
    }),
  )

  app.post(
    '/:agent_id/summarize',
    prepared({
      ...operations.summarize_messages,
      prepare: ({ scope, params, body }, reply) =>
        prepareSummary(scope, services, refOf(params), body?.compaction_settings, callerGone(reply)),
      handle: ({ scope }, summary) => storeSummary(scope, summary),
    }),
  )

  app.post(
    '/:agent_id/generate',
    prepared({
      ...operations.generate_text,
      prepare: ({ scope, params, body }, reply) => generate(scope, services, params.agent_id, body, callerGone(reply)),
      handle: async (_, generated) => generated,
    }),
  )

  app.post('/:agent_id/messages/preview-raw-payload', operations.preview_raw_payload, ({ scope, params, body }) =>
    previewRequest(scope, services.models, refOf(params), body),
  )
}
