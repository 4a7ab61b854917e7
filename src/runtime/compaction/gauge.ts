import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { StoredMessage, TokenCount } from '../../resources/messages/table.ts'
import type { LlmConfig } from '../../resources/models/schema.ts'
import { renderHistory, type Target } from '../history.ts'
import { promptFor } from '../prompt.ts'
import type { Turn } from '../turn.ts'
import { calibrated, promptTokens, tokenFactor, toolTokens } from './tokens.ts'

/** The share of the context window that one return of a tool may take, in characters for each token. */
const RETURN_SHARE = 0.2 * 4
const MIN_RETURN = 5_000

/** The rendering of a history for a model: `model` is absent where only its length matters. */
export const targetFor = (
  { context_window }: Pick<LlmConfig, 'context_window'>,
  { shortenedTo }: Pick<Turn, 'shortenedTo'>,
  model = { provider: '', modelId: '' },
): Target => ({
  provider: model.provider,
  model: model.modelId,
  maxReturn: Math.max(MIN_RETURN, Math.floor(context_window * RETURN_SHARE)),
  shortenedTo,
})

/** The prompt of a run's next call, with these rows behind the system prompt. */
export const promptOf = (turn: Turn, rows: readonly StoredMessage[] = turn.rows) =>
  renderHistory([...rows, ...turn.inputs], promptFor(turn), targetFor(turn.config, turn, turn.model))

/** The name under which a model's counts are stored. */
export const modelKey = ({ config }: Turn) => config.handle ?? config.model

/** The share of the window above which a context is compacted. */
const FULL = 0.9

/** The share of the window that a summary takes at most. */
const SUMMARY = 0.2

/** Measures the context of a run against its model's window, in tokens. */
export interface Gauge {
  window: number
  /** Above this, a context is compacted: the model's answer needs the rest. */
  limit: number
  /** Tokens of a summary at most. */
  summary: number
  /** Our estimate of a prompt with these rows. */
  estimate(rows: readonly StoredMessage[]): number
  /** The tokens of a prompt with these rows, by the model's reports. */
  tokens(rows: readonly StoredMessage[]): number
  /** The tokens of the next prompt. */
  now(): number
  /** How many estimated tokens so many tokens of the model are. */
  estimated(tokens: number): number
  /** The count of a prompt with these rows, until the model reports one. */
  count(rows: readonly StoredMessage[], tokens?: number): TokenCount
}

/** A gauge for a run whose next call offers these tools. */
export function createGauge(turn: Turn, tools: LanguageModelV4CallOptions['tools']): Gauge {
  const { config, agent } = turn
  const model = modelKey(turn)
  const offered = toolTokens(tools)
  const window = config.context_window
  const output =
    config.max_tokens ?? (agent.row.model_settings as { max_output_tokens?: number })?.max_output_tokens ?? 0
  const estimate = (rows: readonly StoredMessage[]) => offered + promptTokens(promptOf(turn, rows))
  const tokens = (rows: readonly StoredMessage[]) => Math.ceil(estimate(rows) * tokenFactor(turn.count, model))
  return {
    window,
    limit: Math.floor(Math.max(window / 2, Math.min(window * FULL, window - output))),
    summary: Math.floor(window * SUMMARY),
    estimate,
    tokens,
    now: () => calibrated(turn.count, model, estimate(turn.rows)),
    estimated: (count) => count / tokenFactor(turn.count, model),
    count: (rows, reported = tokens(rows)) => ({ model, estimated: estimate(rows), reported }),
  }
}
