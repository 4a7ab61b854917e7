import { Type } from 'typebox'
import { renderString } from '../../db/render/wrap.ts'
import { operationsOf } from '../../http/operation.ts'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import { callerGone } from '../../http/sse.ts'
import { JsonMap, Ref } from '../../lib/wire.ts'
import { prepareSummary, storeSummary } from '../../runtime/compaction/summarize-thread.ts'
import type { ModelServices } from '../../runtime/generate.ts'
import { previewRequest } from '../../runtime/preview.ts'
import { recompileThread } from '../../runtime/recompile.ts'
import { Recompile, SummarizedMessages } from '../agents/context/schema.ts'
import { SendToConversation } from '../messages/body.ts'
import { CompactConversation, RecompileConversation, ThreadParams } from './schema.ts'
import { targetOf } from './target.ts'

const params = ThreadParams

const operations = operationsOf('conversations', {
  compact_conversation: [
    'Replace messages in the context of a conversation by a summary; they stay listed',
    { params, body: CompactConversation, response: { 200: Ref(SummarizedMessages) } },
    { callsUpstream: true },
  ],
  recompile_conversation: [
    'Compile the system prompt of a conversation anew',
    { params, querystring: Recompile, body: RecompileConversation, response: { 200: Type.String() } },
  ],
  preview_conversation_raw_payload: [
    'Retrieve the request that would go to the model provider; nothing is sent',
    { params, body: SendToConversation, response: { 200: JsonMap() } },
    { right: 'read' },
  ],
})

/** The operations of `/v1/conversations/{conversation_id}` that change or use its context. */
export const conversationContextRoutes = (services: ModelServices) => async (app: App) => {
  app.post(
    '/:conversation_id/compact',
    prepared({
      ...operations.compact_conversation,
      prepare: async ({ scope, params, body }, reply) => {
        const target = await targetOf(scope, params.conversation_id, { in: 'body', id: body?.agent_id })
        return prepareSummary(scope, services, target, body?.compaction_settings, callerGone(reply))
      },
      handle: ({ scope }, summary) => storeSummary(scope, summary),
    }),
  )

  app.post('/:conversation_id/recompile', operations.recompile_conversation, async ({ scope, params, query, body }) => {
    const target = await targetOf(scope, params.conversation_id, { in: 'body', id: body?.agent_id })
    return renderString(await recompileThread(scope, target, query))
  })

  app.post(
    '/:conversation_id/messages/preview-raw-payload',
    operations.preview_conversation_raw_payload,
    async ({ scope, params, body: { agent_id, ...body } }) =>
      previewRequest(
        scope,
        services.models,
        await targetOf(scope, params.conversation_id, { in: 'body', id: agent_id }),
        body,
      ),
  )
}
