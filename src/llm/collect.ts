import { randomUUID } from 'node:crypto'
import type { LanguageModelV4StreamPart, LanguageModelV4Usage, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { ModelError, toModelError } from './model-error.ts'
import type { ModelDelta, ModelOutput, ModelPart } from './model-output.ts'
import { createThinkSplitter, type Piece, unopenedThinking } from './think-tags.ts'
import { addTokens, type Tokens } from './token-data.ts'

/** Ids that every provider takes: made when a model gives none, or one of an earlier call. */
function createCallIds(earlier: Iterable<string>) {
  const known = new Map<string, string>()
  const used = new Set(earlier)
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
  /** Splits the text where thinking comes between tags. */
  thinking?: ReturnType<typeof createThinkSplitter> | undefined
  tokens: Tokens
  error?: unknown
  finish?: ModelOutput['finish']
  usage?: LanguageModelV4Usage
  cost?: number | undefined
}

/** An answer that begins. `thinkTags`: its thinking may come as a part of the text, between tags. `callIds` are those of earlier calls. */
export const newAnswer = (thinkTags: boolean, callIds: Iterable<string> = []): Collected => ({
  parts: [],
  open: new Map(),
  idOf: createCallIds(callIds),
  thinking: thinkTags ? createThinkSplitter() : undefined,
  tokens: { logprobs: [], ids: [] },
})

/** Adds a piece to the text with this id. Metadata alone counts too: signatures come on deltas without text, and at the end. */
function addPiece(
  { open, parts }: Collected,
  id: string,
  { type, delta }: Piece,
  metadata?: SharedV4ProviderMetadata,
): ModelDelta[] {
  if (delta === '' && !metadata) return []
  const key = `${type} ${id}`
  let current = open.get(key)
  if (!current) {
    current = { type, text: '' }
    open.set(key, current)
    parts.push(current)
  }
  current.text += delta
  const all = merged(current.providerOptions, metadata)
  if (all) current.providerOptions = all
  return delta === '' ? [] : [{ type, delta }]
}

type TextPart = Extract<LanguageModelV4StreamPart, { type: `${'text' | 'reasoning'}-${'start' | 'delta' | 'end'}` }>

/** Adds to a text, or to the reasoning. */
function addText(collected: Collected, part: TextPart): ModelDelta[] {
  const { id, providerMetadata } = part
  const type = part.type.startsWith('text') ? 'text' : 'reasoning'
  const delta = 'delta' in part ? part.delta : ''
  const { thinking } = collected
  if (type === 'reasoning' || !thinking) return addPiece(collected, id, { type, delta }, providerMetadata)
  const pieces = part.type === 'text-end' ? thinking.end() : thinking.push(delta)
  return [
    ...pieces.flatMap((piece) => addPiece(collected, id, piece)),
    ...addPiece(collected, id, { type, delta: '' }, providerMetadata),
  ]
}

/** Adds a part of a stream. Returns the deltas that readers see. */
export function collect(collected: Collected, part: LanguageModelV4StreamPart): ModelDelta[] {
  const { idOf, parts } = collected
  switch (part.type) {
    case 'text-start':
    case 'text-delta':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end':
      return addText(collected, part)
    case 'tool-input-start':
      return [{ type: 'call', id: idOf(part.id, true), name: part.toolName }]
    case 'tool-input-delta':
      return [{ type: 'arguments', id: idOf(part.id, false), delta: part.delta }]
    case 'tool-call': {
      const { toolName, input, toolCallId, providerMetadata } = part
      const metadata = providerMetadata && { providerOptions: providerMetadata }
      parts.push({ type: 'tool-call', toolCallId: idOf(toolCallId, false), toolName, input, ...metadata })
      return []
    }
    case 'raw':
      addTokens(collected.tokens, part.rawValue)
      return []
    case 'error':
      collected.error = part.error
      return []
    case 'finish':
      collected.finish = part.finishReason.unified
      collected.usage = part.usage
      collected.cost = (part.providerMetadata?.openrouter?.usage as { cost?: number } | undefined)?.cost
      return []
    default:
      return []
  }
}

/** The parts of a text whose beginning is thinking that the model's template opened. */
function withThinking(part: ModelPart): ModelPart | ModelPart[] {
  const split = part.type === 'text' ? unopenedThinking(part.text) : undefined
  if (!split) return part
  return [
    { type: 'reasoning', text: split.reasoning },
    { ...part, type: 'text', text: split.text },
  ]
}

/** Whether a stream merely lacks its last word: servers and proxies leave it out. */
const isUnfinished = (error: unknown) => error instanceof Error && error.message.includes('without a finish reason')

/**
 * The whole answer. Throws the ModelError of a stream that failed, unless the answer was complete all the same. A stream that
 * ended without a finish reason is complete if there is text.
 */
export function outputOf(collected: Collected, request: unknown): ModelOutput {
  const { parts, error, usage, cost, thinking, tokens } = collected
  const finish = isUnfinished(error) ? undefined : collected.finish
  const split = thinking ? parts.flatMap(withThinking) : parts
  const usable = split.filter((part) => part.type === 'tool-call' || part.text !== '' || part.providerOptions)
  const complete = finish !== undefined && !['error', 'interrupted'].includes(finish) && usable.length > 0
  if (error !== undefined && !complete && !isUnfinished(error)) throw toModelError(error, request)
  if (finish === undefined && usable.length === 0)
    throw new ModelError('llm_error', 'The stream ended at once.', { request })
  return { parts: usable, finish: finish ?? 'interrupted', usage, cost, tokens, request }
}
