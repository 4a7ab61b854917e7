import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { callModel } from '../../llm/call-model.ts'
import { ModelError } from '../../llm/model-error.ts'
import { callSettings } from '../../llm/settings.ts'
import type { StoredMessage } from '../../resources/messages/table.ts'
import { catalogOf } from '../../resources/models/handles.ts'
import type { LlmConfig } from '../../resources/models/schema.ts'
import { observeModelCall } from '../../telemetry/model-calls.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import type { Turn } from '../turn.ts'
import type { Settings } from './settings.ts'
import type { SummaryCall } from './summary-steps.ts'
import { chunksOf, transcriptOf } from './transcript.ts'

/** A model that summarizes. */
export interface Summarizer {
  model: LanguageModelV4
  config: LlmConfig
  settings: Readonly<Record<string, unknown>>
  telemetry: Telemetry
  /** The calls that the model has answered. */
  calls: SummaryCall[]
}

/** The model that summarizes for the models of a provider, where neither agent nor request names one. */
const SMALL: Readonly<Record<string, string>> = {
  anthropic: 'anthropic/claude-haiku-4-5',
  openai: 'openai/gpt-5-mini',
  google_ai: 'google_ai/gemini-2.5-flash',
}

/** The agent's own model. */
export const ownSummarizer = ({ model, config, agent, telemetry }: Turn, calls: SummaryCall[]): Summarizer => ({
  model,
  config,
  settings: agent.row.model_settings ?? {},
  telemetry,
  calls,
})

/**
 * The model that the settings name, or the small one of the agent's provider: a conversation goes to no other provider by
 * default. Undefined where there is no such model.
 */
export async function namedSummarizer(
  turn: Turn,
  { model, modelSettings }: Settings,
  calls: SummaryCall[],
): Promise<Summarizer | undefined> {
  const handle = model ?? SMALL[turn.config.handle?.split('/')[0] ?? '']
  if (!handle) return undefined
  try {
    const config = (await catalogOf(turn.scope, { llm: [handle] })).llm(handle)
    const { telemetry } = turn
    return { model: await turn.models.of(turn.scope, config), config, settings: modelSettings, telemetry, calls }
  } catch {
    return undefined
  }
}

/** The text of a model's answer. Throws a ModelError where there is none. */
async function textOf(
  { model, config, settings, telemetry, calls }: Summarizer,
  options: LanguageModelV4CallOptions,
): Promise<string> {
  const call = { ...callSettings(config, settings, true), ...options, responseFormat: { type: 'text' as const } }
  const startedAt = performance.now()
  const deltas = observeModelCall(telemetry, model, callModel(model, call))
  for (;;) {
    const { done, value } = await deltas.next()
    if (!done) continue
    calls.push({ config, output: value, milliseconds: performance.now() - startedAt })
    const text = value.parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('')
    if (text.trim() === '') throw new ModelError('llm_empty_response', 'The model wrote no summary.')
    return text.trim()
  }
}

const user = (text: string) => ({ role: 'user' as const, content: [{ type: 'text' as const, text }] })

/** The messages before a transcript. */
const opening = ({ prompt, acknowledgement }: Settings): LanguageModelV4Prompt =>
  acknowledgement
    ? [user(prompt), { role: 'assistant', content: [{ type: 'text', text: 'Understood. I summarize the messages.' }] }]
    : [{ role: 'system', content: prompt }]

/** The bytes of a transcript for each token of the summarizer's window: half of the window, where a token is four bytes. */
const BYTES = 2

/** The calls for one summary at most. */
const MAX_CALLS = 10

/** Attempts with a smaller part of the window, when a summarizer's window is smaller than it says. */
const ATTEMPTS = 3

/** The lines of a transcript, shortened to what `length` characters can hold. */
const within = (lines: readonly string[], length: number) => {
  const total = lines.reduce((sum, line) => sum + line.length, 0)
  if (total <= length) return lines
  const each = Math.max(100, Math.floor(length / lines.length))
  return lines.map((line) => line.slice(0, each))
}

/** Summarizes by a transcript, part after part: each summary is part of the next one's transcript. */
async function byTranscript(
  summarizer: Summarizer,
  rows: readonly StoredMessage[],
  settings: Settings,
  abortSignal: AbortSignal,
  length: number,
): Promise<string> {
  let summary = ''
  const lines = within(transcriptOf(rows), length * MAX_CALLS)
  for (const chunk of chunksOf(lines, length)) {
    const text = summary ? `Summary of everything before: ${summary}\n${chunk}` : chunk
    summary = await textOf(summarizer, { prompt: [...opening(settings), user(text)], abortSignal })
    // A summary that grew past the transcript would not leave room for the next part.
    summary = summary.slice(0, length)
  }
  return summary
}

/** Summarizes rows by a transcript of them, within the summarizer's own window. Throws a ModelError, or an abort. */
export async function summarizeTranscript(
  summarizer: Summarizer,
  rows: readonly StoredMessage[],
  settings: Settings,
  signal: AbortSignal,
): Promise<string> {
  const text = transcriptOf(rows).join('\n')
  const share = text.length / Math.max(1, Buffer.byteLength(text))
  let length = Math.max(1_000, Math.floor(summarizer.config.context_window * BYTES * share))
  for (let left = ATTEMPTS; ; left--) {
    try {
      return await byTranscript(summarizer, rows, settings, signal, length)
    } catch (error) {
      if (left === 0 || !(error instanceof ModelError && error.type === 'llm_context_window')) throw error
      length = Math.max(500, Math.floor(length / 2))
    }
  }
}

/**
 * Has the agent's own model summarize a conversation behind its own prompt and tools, which providers have cached. Throws a
 * ModelError where it calls a tool instead, or an abort.
 */
export const summarizeInPlace = (
  turn: Turn,
  prompt: LanguageModelV4Prompt,
  options: Pick<LanguageModelV4CallOptions, 'tools' | 'toolChoice'>,
  { prompt: request }: Settings,
  calls: SummaryCall[],
): Promise<string> =>
  textOf(ownSummarizer(turn, calls), {
    ...options,
    ...(options.tools && { toolChoice: { type: 'auto' } }),
    prompt: [...prompt, user(`${request}\n\nCall no tool.`)],
    abortSignal: turn.signal,
  })
