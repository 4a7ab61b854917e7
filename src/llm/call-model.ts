import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { type Failure, withRetries } from '../lib/retry.ts'
import { collect, newAnswer, outputOf } from './collect.ts'
import { ModelError, toModelError } from './model-error.ts'
import type { ModelDelta, ModelOutput } from './model-output.ts'
import { strictTool } from './strict-tool.ts'

/** The options of a call. */
export interface ModelCall extends LanguageModelV4CallOptions {
  /** The model's thinking may come as a part of its text, between `<think>` tags. */
  thinkTags?: boolean | undefined
  /** The provider holds the model to the parameters of tools, where their schemas allow it. */
  strictTools?: boolean | undefined
  /** Gets the body that went to the provider, when its response begins. */
  onRequest?(body: unknown): void
}

/** Pauses before a call is repeated, in milliseconds. A pause that the provider names wins. */
const PAUSES_MS = [400, 1_600]

/** Options without a word of parallel calls: OpenAI refuses it in a request without tools. */
const withoutParallel = (options: LanguageModelV4CallOptions['providerOptions'] = {}) =>
  Object.fromEntries(
    Object.entries(options).map(
      ([name, { parallelToolCalls: _, parallel_tool_calls: __, disableParallelToolUse: ___, ...rest }]) => [name, rest],
    ),
  )

/** The options as the provider's package gets them. */
function packageOptions({
  thinkTags: _,
  onRequest: __,
  strictTools,
  ...options
}: ModelCall): LanguageModelV4CallOptions {
  const { tools, providerOptions } = options
  if (!tools?.length) return { ...options, providerOptions: withoutParallel(providerOptions) }
  return strictTools ? { ...options, tools: tools.map(strictTool) } : options
}

/** The ids of the calls in a prompt: some models give equal ids to the calls of different answers, which others refuse. */
const callIdsIn = (prompt: LanguageModelV4CallOptions['prompt']): string[] =>
  prompt.flatMap(({ role, content }) =>
    role === 'assistant' ? content.flatMap((part) => (part.type === 'tool-call' ? part.toolCallId : [])) : [],
  )

async function* callOnce(model: LanguageModelV4, call: ModelCall): AsyncGenerator<ModelDelta, ModelOutput> {
  const { abortSignal, thinkTags = false, prompt } = call
  const collected = newAnswer(thinkTags, callIdsIn(prompt))
  let request: unknown
  try {
    const result = await model.doStream(packageOptions(call))
    request = result.request?.body
    call.onRequest?.(request)
    for await (const part of result.stream) yield* collect(collected, part)
    abortSignal?.throwIfAborted()
    return outputOf(collected, request)
  } catch (error) {
    abortSignal?.throwIfAborted()
    throw toModelError(error, request)
  }
}

/** A call that waited until its end isn't repeated: the next one would wait as long. */
const failureOf = (error: unknown): Failure =>
  error instanceof ModelError && error.type !== 'llm_timeout' ? error : { passing: false }

/**
 * Calls a model: yields the pieces of its answer as they come, and returns the whole. A call that fails before the first piece
 * is repeated, where that may help. Throws a ModelError; an abort by `abortSignal` is thrown as it is.
 */
export async function* callModel(
  model: LanguageModelV4,
  call: ModelCall,
  pauses: readonly number[] = PAUSES_MS,
): AsyncGenerator<ModelDelta, ModelOutput> {
  const begin = async () => {
    const pieces = callOnce(model, call)
    return { pieces, first: await pieces.next() }
  }
  const { pieces, first } = await withRetries(begin, failureOf, call.abortSignal, pauses).catch((error) => {
    call.abortSignal?.throwIfAborted()
    throw error
  })
  let next = first
  try {
    while (!next.done) {
      yield next.value
      next = await pieces.next()
    }
    return next.value
  } finally {
    if (!next.done) await pieces.return(undefined as never)
  }
}
