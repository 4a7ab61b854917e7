import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { callerGone, ValueOrEvents } from '../../http/sse.ts'
import { Ref } from '../../lib/wire.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { awaitRun, readRun } from '../../runtime/send.ts'
import { createSender } from '../messages/send-routes.ts'
import { countKnown, findAgent } from './agent.ts'
import { chunksOf, completionOf } from './encode.ts'
import { sendBody } from './input.ts'
import { findChatModel, listChatModels } from './models.ts'
import {
  ChatCompletion,
  ChatCompletionRequest,
  ChatEvent,
  ChatModel,
  ChatModelParams,
  ChatModels,
  ListChatModels,
} from './schema.ts'

const completion = {
  body: Ref(ChatCompletionRequest),
  response: {
    200: ValueOrEvents(Ref(ChatCompletion), ChatEvent, 'The completion; with `stream`, its chunks.'),
  },
}

const config = { right: 'run', idempotency: 'row', stream: { end: '[DONE]' }, openAiErrors: true } as const

const chat = operationsOf('openai', {
  create_chat_completion: ['Chat with an agent, as with a model of OpenAI', completion, config],
})

const openAi = operationsOf('openai', {
  create_openai_chat_completion: ['Chat with an agent, as with a model of OpenAI', completion, config],
  list_openai_models: [
    'List agents as models of OpenAI, newest first',
    { querystring: ListChatModels, response: { 200: ChatModels } },
    { openAiErrors: true },
  ],
  retrieve_openai_model: [
    'Retrieve an agent as a model of OpenAI',
    { params: ChatModelParams, response: { 200: ChatModel } },
    { openAiErrors: true },
  ],
})

/** Chats with agents for clients of OpenAI. */
const chatWith = (runtime: Runtime) => {
  const sender = createSender(runtime)
  type Sent = Parameters<typeof sender.begin>
  return async (
    request: Sent[0] & { body: ChatCompletionRequest },
    reply: Sent[1] & Parameters<typeof callerGone>[0],
  ) => {
    const { scope, body } = request
    const { model: agentId, messages, stream, stream_options } = body
    const agent = await findAgent(scope, agentId)
    const waits = [agent.pending_approval?.tool_calls ?? []].flat().map(({ tool_call_id }) => tool_call_id ?? '')
    const sent = sendBody(body, await countKnown(scope, agentId, agent, messages), waits)
    const target = { agentId, threadId: agentId }
    const streaming = stream ? { streaming: true, stream_tokens: true } : {}
    const id = await sender.begin(request, reply, target, { ...sent, ...streaming })
    const head = { runId: id, model: agent.model }
    if (!stream) return completionOf(head, await awaitRun(runtime, scope, id))
    const events = readRun(runtime, scope, id, { numbered: false, pings: false, signal: callerGone(reply) })
    return chunksOf(head, events, stream_options?.include_usage ?? false)
  }
}

/** `/v1/chat/completions` */
export const chatCompletionRoutes = (runtime: Runtime) => async (app: App) => {
  const handle = chatWith(runtime)
  app.post('/completions', chat.create_chat_completion, (request, reply) => handle(request, reply))
}

/** `/v1/openai`: the base URL for clients of OpenAI. */
export const openAiRoutes = (runtime: Runtime) => async (app: App) => {
  const handle = chatWith(runtime)
  app.post('/chat/completions', openAi.create_openai_chat_completion, (request, reply) => handle(request, reply))
  app.get('/models', openAi.list_openai_models, ({ scope, query }) => listChatModels(scope, query))
  app.get('/models/:model', openAi.retrieve_openai_model, ({ scope, params }) => findChatModel(scope, params.model))
}
