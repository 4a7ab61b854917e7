import { instantOf } from '../../lib/ids.ts'
import type { Message, SendResponse, StreamEvent, UsageStatistics } from '../messages/schema.ts'
import { BETWEEN } from './agent.ts'
import type { ChatCompletion, ChatEvent, Delta, FINISH_REASONS, Usage } from './schema.ts'

/** The name of a completion's run and its model. */
export interface Head {
  runId: string
  model: string
}

const headOf = ({ runId, model }: Head) => ({
  id: `chatcmpl-${runId}`,
  // The instant in the id of the run: the same in the response to a repeated request.
  created: Math.floor(instantOf(runId)!.getTime() / 1000),
  model,
})

/** Reasons that end no answer: an error follows. */
const FAILURES = ['error', 'llm_api_error', 'invalid_llm_response', 'invalid_tool_call']

function finishOf(reason: unknown): (typeof FINISH_REASONS)[number] {
  if (reason === 'requires_approval') return 'tool_calls'
  return reason === 'max_tokens_exceeded' ? 'length' : 'stop'
}

const usageOf = ({ prompt_tokens, completion_tokens, total_tokens, ...more }: UsageStatistics): Usage => ({
  prompt_tokens,
  completion_tokens,
  total_tokens,
  ...(more.cached_input_tokens !== undefined && { prompt_tokens_details: { cached_tokens: more.cached_input_tokens } }),
  ...(more.reasoning_tokens !== undefined && {
    completion_tokens_details: { reasoning_tokens: more.reasoning_tokens },
  }),
})

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : (content as { text?: string }[]).map(({ text }) => text ?? '').join('')

/** The calls of a message that wait for the caller: whole ones, or a piece of one. */
const callsIn = ({ tool_calls }: StreamEvent) =>
  [tool_calls].flat() as { tool_call_id: string; name?: string; arguments?: string }[]

/** The completion of a run. */
export function completionOf(head: Head, { messages, stop_reason, usage }: SendResponse): ChatCompletion {
  const of = (type: Message['message_type']) => messages.filter(({ message_type }) => message_type === type)
  const content = of('assistant_message')
    .map((message) => textOf(message.content))
    .join(BETWEEN)
  const reasoning = of('reasoning_message')
    .map((message) => message.reasoning)
    .join(BETWEEN)
  const calls = of('approval_request_message').flatMap(callsIn)
  const tool_calls = calls.map(({ tool_call_id, name, arguments: input }) => ({
    id: tool_call_id,
    type: 'function' as const,
    function: { name: name ?? '', arguments: input ?? '' },
  }))
  const message = {
    role: 'assistant' as const,
    content: content === '' ? null : content,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(tool_calls.length > 0 && { tool_calls }),
  }
  return {
    ...headOf(head),
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(stop_reason.stop_reason) }],
    usage: usageOf(usage),
  }
}

/** Makes deltas of the events of a run. */
function createDeltas() {
  const indexes = new Map<string, number>()
  let textId: string | undefined
  let isFirst = true
  const roled = (delta: Delta): Delta => {
    const begun = isFirst ? { role: 'assistant' as const, ...delta } : delta
    isFirst = false
    return begun
  }
  const call = ({ tool_call_id: id, name, arguments: input }: ReturnType<typeof callsIn>[number]) => {
    const isNew = !indexes.has(id)
    if (isNew) indexes.set(id, indexes.size)
    const called = { ...(name !== undefined && { name }), ...(input !== undefined && { arguments: input }) }
    return { index: indexes.get(id)!, ...(isNew && { id, type: 'function' as const }), function: called }
  }
  return (event: StreamEvent): Delta | undefined => {
    switch (event.message_type) {
      case 'assistant_message': {
        const id = `${event.id} ${event.otid}`
        const between = textId !== undefined && textId !== id ? BETWEEN : ''
        textId = id
        return roled({ content: between + textOf(event.content) })
      }
      case 'reasoning_message':
        return roled({ reasoning_content: String(event.reasoning) })
      case 'approval_request_message':
        return roled({ tool_calls: callsIn(event).map(call) })
      default:
        return undefined
    }
  }
}

/** The chunks of a run's events, as they come. The calls of the agent's own tools stay hidden. */
export async function* chunksOf(
  head: Head,
  events: AsyncIterable<StreamEvent>,
  includeUsage: boolean,
): AsyncGenerator<ChatEvent> {
  const fields = { ...headOf(head), object: 'chat.completion.chunk' as const }
  const deltaOf = createDeltas()
  for await (const event of events) {
    const delta = deltaOf(event)
    if (delta) yield { ...fields, choices: [{ index: 0, delta, finish_reason: null }] }
    else if (event.message_type === 'stop_reason') {
      if (FAILURES.includes(String(event.stop_reason))) continue
      yield { ...fields, choices: [{ index: 0, delta: {}, finish_reason: finishOf(event.stop_reason) }] }
    } else if (event.message_type === 'usage_statistics' && includeUsage) {
      yield { ...fields, choices: [], usage: usageOf(event as UsageStatistics) }
    } else if (event.message_type === 'error_message') {
      const { message, detail, error_type } = event as { message?: string; detail?: string; error_type?: string }
      const type = error_type ?? 'internal_error'
      yield { error: { message: `${message} ${detail ?? ''}`.trim(), type, code: type, param: null } }
    }
  }
}
