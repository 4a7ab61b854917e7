import { randomUUID } from 'node:crypto'
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider'
import { ModelError, toModelError } from './model-error.ts'

/** A piece of a model's answer, while it comes in. */
export type ModelDelta =
  | { type: 'text' | 'reasoning'; delta: string }
  | { type: 'call'; id: string; name: string }
  | { type: 'arguments'; id: string; delta: string }

/** A part of a model's answer, with the provider's metadata as it came: it must go back to the same model unchanged. */
export type ModelPart =
  | { type: 'text' | 'reasoning'; text: string; providerOptions?: SharedV4ProviderMetadata | undefined }
  | {
      type: 'tool-call'
      toolCallId: string
      toolName: string
      /** The arguments as the model wrote them: maybe not JSON. */
      input: string
      providerOptions?: SharedV4ProviderMetadata | undefined
    }

/** A model's whole answer. */
export interface ModelOutput {
  parts: ModelPart[]
  finish: LanguageModelV4FinishReason['unified']
  usage: LanguageModelV4Usage | undefined
  /** The body that went to the provider. */
  request: unknown
}

/** Ids that every provider takes: made when a model gives none, or one twice in an answer. */
function createCallIds() {
  const known = new Map<string, string>()
  const used = new Set<string>()
  return (id: string, again: boolean): string => {
    const existing = known.get(id)
    if (existing !== undefined && !again) return existing
    const clean = id.replace(/[^A-Za-z0-9_-]/g, '_')
    const own = clean === '' || used.has(clean) ? `call_${randomUUID().slice(0, 8)}` : clean
    used.add(own)
    known.set(id, own)
    return own
  }
}

const merged = (a: SharedV4ProviderMetadata | undefined, b: SharedV4ProviderMetadata | undefined) => {
  if (!a || !b) return b ?? a
  const all = { ...a }
  for (const [provider, metadata] of Object.entries(b)) all[provider] = { ...all[provider], ...metadata }
  return all
}

/** The parts of an answer that has come in so far. */
interface Collected {
  parts: ModelPart[]
  /** The texts that still grow, by kind and id. */
  open: Map<string, ModelPart & { text: string }>
  idOf: ReturnType<typeof createCallIds>
  error?: unknown
  finish?: ModelOutput['finish']
  usage?: LanguageModelV4Usage
}

type TextPart = Extract<LanguageModelV4StreamPart, { type: `${'text' | 'reasoning'}-${'start' | 'delta' | 'end'}` }>

/** Adds to a text. Signatures come on deltas without text, and at the end. */
function collectText({ open, parts }: Collected, part: TextPart): ModelDelta | undefined {
  const type = part.type.startsWith('text') ? 'text' : 'reasoning'
  const delta = 'delta' in part ? part.delta : ''
  const key = `${type} ${part.id}`
  let current = open.get(key)
  if (!current) {
    current = { type, text: '' }
    open.set(key, current)
    parts.push(current)
  }
  current.text += delta
  const metadata = merged(current.providerOptions, part.providerMetadata)
  if (metadata) current.providerOptions = metadata
  return delta === '' ? undefined : { type, delta }
}

/** Adds a part of a stream. Returns the delta that readers see, if any. */
function collect(collected: Collected, part: LanguageModelV4StreamPart): ModelDelta | undefined {
  const { idOf, parts } = collected
  switch (part.type) {
    case 'text-start':
    case 'text-delta':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end':
      return collectText(collected, part)
    case 'tool-input-start':
      return { type: 'call', id: idOf(part.id, true), name: part.toolName }
    case 'tool-input-delta':
      return { type: 'arguments', id: idOf(part.id, false), delta: part.delta }
    case 'tool-call': {
      const { toolName, input, toolCallId, providerMetadata } = part
      const metadata = providerMetadata && { providerOptions: providerMetadata }
      parts.push({ type: 'tool-call', toolCallId: idOf(toolCallId, false), toolName, input, ...metadata })
      return undefined
    }
    case 'error':
      collected.error = part.error
      return undefined
    case 'finish':
      collected.finish = part.finishReason.unified
      collected.usage = part.usage
      return undefined
    default:
      return undefined
  }
}

/** The whole answer. Throws the ModelError of a stream that failed, unless the answer was complete all the same. */
function outputOf({ parts, error, finish, usage }: Collected, request: unknown): ModelOutput {
  const usable = parts.filter((part) => part.type === 'tool-call' || part.text !== '' || part.providerOptions)
  const complete = finish !== undefined && !['error', 'interrupted'].includes(finish) && usable.length > 0
  if (error !== undefined && !complete) throw toModelError(error)
  if (finish === undefined && usable.length === 0) throw new ModelError('llm_error', 'The stream ended at once.')
  return { parts: usable, finish: finish ?? 'interrupted', usage, request }
}

/**
 * Calls a model: yields the pieces of its answer as they come, and returns the whole. Throws a ModelError; an abort by
 * `abortSignal` is thrown as it is. A stream that ends without a finish reason is complete if there is text.
 */
export async function* callModel(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
): AsyncGenerator<ModelDelta, ModelOutput> {
  const { abortSignal } = options
  const collected: Collected = { parts: [], open: new Map(), idOf: createCallIds() }
  let request: unknown
  try {
    const result = await model.doStream(options)
    request = result.request?.body
    for await (const part of result.stream) {
      const delta = collect(collected, part)
      if (delta) yield delta
    }
  } catch (error) {
    abortSignal?.throwIfAborted()
    throw toModelError(error)
  }
  abortSignal?.throwIfAborted()
  return outputOf(collected, request)
}
