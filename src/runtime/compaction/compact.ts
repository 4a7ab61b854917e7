import { newId } from '../../lib/ids.ts'
import { type CompactionStats, packSummary } from '../../resources/messages/packed.ts'
import type { StoredMessage } from '../../resources/messages/table.ts'
import type { Offer } from '../offer.ts'
import { newRow, type Turn } from '../turn.ts'
import { openTail, slidingCut } from './cut.ts'
import { fold } from './fold.ts'
import { type Gauge, promptOf } from './gauge.ts'
import { isSelf, isSliding, type Settings } from './settings.ts'
import { namedSummarizer, ownSummarizer, summarizeInPlace, summarizeTranscript } from './summarize.ts'
import type { SummaryCall } from './summary-steps.ts'
import { textTokens } from './tokens.ts'

/** A context after its compaction. */
export interface Compaction {
  /** The summary as a row, and its text. */
  row: StoredMessage
  summary: string
  /** The rows in context: the summary, and those that stay. */
  rows: StoredMessage[]
  /** The calls of models that summarized. */
  calls: SummaryCall[]
}

/** The rows that go, and those that stay. */
function divide({ rows }: Turn, { mode, share }: Settings, gauge: Gauge): [StoredMessage[], StoredMessage[]] {
  const target = Math.min((1 - share) * gauge.window, gauge.limit - gauge.summary)
  const place = isSliding(mode) ? slidingCut(rows, share, (rest) => gauge.tokens(rest) <= target) : undefined
  const kept = place === undefined ? openTail(rows) : rows.slice(place)
  return [rows.slice(0, rows.length - kept.length), kept]
}

/** The share of the window that the messages may take which the agent's own model summarizes in place. */
const SELF = 0.95

/** The ways to a summary, the best first. */
async function* summaries(
  turn: Turn,
  offer: Offer,
  gone: readonly StoredMessage[],
  settings: Settings,
  gauge: Gauge,
  calls: SummaryCall[],
) {
  const { signal } = turn
  if (isSelf(settings.mode) && gauge.tokens(gone) + textTokens(settings.prompt) < gauge.window * SELF) {
    yield () => summarizeInPlace(turn, promptOf({ ...turn, inputs: [] }, gone), offer.options, settings, calls)
  }
  const named = isSelf(settings.mode) ? undefined : await namedSummarizer(turn, settings, calls)
  if (named) yield () => summarizeTranscript(named, gone, settings, signal)
  if (named?.config.handle !== turn.config.handle || !named) {
    yield () => summarizeTranscript(ownSummarizer(turn, calls), gone, settings, signal)
  }
}

/** The first summary that comes about. Throws the abort of the run, or the last error when no model could write one. */
async function summarize(...args: Parameters<typeof summaries>): Promise<string> {
  const [{ signal }] = args
  let last: unknown
  for await (const attempt of summaries(...args)) {
    try {
      return await attempt()
    } catch (error) {
      signal.throwIfAborted()
      last = error
    }
  }
  throw last
}

/** A text of at most so many characters and estimated tokens. */
function clipped(text: string, characters: number, tokens: number): string {
  const size = textTokens(text)
  const length = Math.min(characters, size > tokens ? Math.floor((text.length * tokens) / size) : text.length)
  return text.length > length ? `${text.slice(0, Math.max(1, length - 1)).toWellFormed()}…` : text
}

/** What a compaction is for. */
export interface Occasion {
  /** Why it happens; absent when a caller asks for it. */
  trigger?: string
  /** The tokens in context before. */
  before: number
}

/**
 * Replaces the oldest messages in context by a summary. A call stays with its return, and a call that waits stays in
 * context. Undefined where no message could go, or where the summary that a caller asks for would make the context no
 * shorter. In a run it always succeeds: without a model that summarizes, the summary is the beginnings of the messages.
 * For a caller's request it throws the ModelError.
 */
export async function compact(
  turn: Turn,
  offer: Offer,
  settings: Settings,
  gauge: Gauge,
  { trigger, before }: Occasion,
): Promise<Compaction | undefined> {
  const [gone, kept] = divide(turn, settings, gauge)
  if (gone.every(({ role }) => role === 'summary')) return undefined
  if (trigger === undefined && kept.length + 1 >= turn.rows.length) return undefined
  // The room for the summary, in our own tokens: its frame counts some more.
  const room =
    gauge.estimated(Math.max(gauge.summary / 4, Math.min(gauge.summary, gauge.limit - gauge.tokens(kept)))) - 200
  const characters = Math.floor(Math.min(settings.clipChars, Math.max(room, 50) * 4))
  const calls: SummaryCall[] = []
  const text = await summarize(turn, offer, gone, settings, gauge, calls).catch((error) => {
    turn.signal.throwIfAborted()
    if (trigger === undefined) throw error
    return fold(gone, characters)
  })
  const summary = clipped(text, settings.clipChars, Math.max(room, 50))
  const rowOf = (stats?: CompactionStats) =>
    newRow(turn, {
      id: newId('message'),
      role: 'summary',
      step_id: trigger === undefined ? null : (turn.rows.at(-1)?.step_id ?? null),
      ...(turn.run.id === '' && { run_id: null }),
      content: [
        {
          type: 'text',
          text: packSummary(
            summary,
            new Date().toISOString(),
            isSliding(settings.mode) ? gone.length : undefined,
            stats,
          ),
        },
      ],
    })
  const counts = (tokens: number): CompactionStats => ({
    trigger: trigger ?? '',
    context_tokens_before: before,
    context_tokens_after: tokens,
    context_window: gauge.window,
    messages_count_before: turn.rows.length + 1,
    messages_count_after: kept.length + 2,
  })
  const row = rowOf(trigger === undefined ? undefined : counts(gauge.tokens([rowOf(), ...kept])))
  return { row, summary, rows: [row, ...kept], calls }
}
