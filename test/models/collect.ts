import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { Json } from './shape.ts'

/** What a model of the AI SDK made of a stream. */
export interface Collected {
  text: string
  reasoning: string
  calls: { id: string; name: string; input: string; metadata: Json }[]
  finish: Json
  usage: Json
  errors: unknown[]
  /** The parts as content of an assistant message, to be sent again. */
  content: Json[]
}

function add(collected: Collected, open: Map<string, Json>, part: Json): void {
  const kept = part.providerMetadata && { providerOptions: part.providerMetadata }
  const [type, step] = /^(text|reasoning)-(start|delta|end)$/.exec(part.type)?.slice(1) ?? []
  if (step === 'start') {
    open.set(part.id, { type, text: '' })
    collected.content.push(open.get(part.id))
  }
  if (type) Object.assign(open.get(part.id), kept)
  if (step === 'delta') {
    open.get(part.id).text += part.delta
    collected[type as 'text'] += part.delta
  }
  if (part.type === 'error') collected.errors.push(part.error)
  if (part.type === 'finish') Object.assign(collected, { finish: part.finishReason, usage: part.usage })
  if (part.type !== 'tool-call') return
  const { toolCallId, toolName, input } = part
  collected.calls.push({ id: toolCallId, name: toolName, input, metadata: part.providerMetadata })
  collected.content.push({ type: 'tool-call', toolCallId, toolName, input: JSON.parse(input || '{}'), ...kept })
}

/** Streams an answer of a model of the AI SDK and collects its parts. */
export async function collect(model: LanguageModelV4, options: LanguageModelV4CallOptions): Promise<Collected> {
  const collected: Collected = {
    text: '',
    reasoning: '',
    calls: [],
    finish: undefined,
    usage: undefined,
    errors: [],
    content: [],
  }
  const open = new Map<string, Json>()
  const { stream } = await model.doStream(options)
  for await (const part of stream) add(collected, open, part)
  return collected
}

/** A user's message in the AI SDK's form. */
export const said = (text: string): Json => ({ role: 'user', content: [{ type: 'text', text }] })

/** Results of calls in the AI SDK's form. */
export const results = (calls: Collected['calls'], value: string): Json => ({
  role: 'tool',
  content: calls.map(({ id, name }) => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: name,
    output: { type: 'text', value },
  })),
})

/** A tool in the AI SDK's form. */
export const ROLL = {
  type: 'function' as const,
  name: 'roll',
  description: 'Rolls dice.',
  inputSchema: {
    type: 'object' as const,
    properties: { sides: { type: 'integer' as const } },
    required: ['sides'],
    additionalProperties: false,
  },
}
