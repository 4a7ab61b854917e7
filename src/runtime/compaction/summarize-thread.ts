import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { Scope } from '../../db/scope.ts'
import { ApiError } from '../../lib/errors.ts'
import { unpackSummary } from '../../resources/messages/packed.ts'
import type { Target } from '../../resources/messages/table.ts'
import { withinBudget } from '../budgets.ts'
import { usedBy } from '../commit.ts'
import { upstreamFailure } from '../failure.ts'
import type { ModelServices } from '../generate.ts'
import { offerTools } from '../offer.ts'
import { type NewContext, setContext } from '../set-context.ts'
import { compileThread } from '../thread.ts'
import { contextWith, type Turn } from '../turn.ts'
import { viewThread } from '../view.ts'
import { compact } from './compact.ts'
import { createGauge } from './gauge.ts'
import { type GivenSettings, settingsOf } from './settings.ts'
import { summarySteps } from './summary-steps.ts'

/** What a summary has changed. Counts include the system prompt. */
export interface SummarizedThread {
  summary: string
  num_messages_before: number
  num_messages_after: number
}

/** A summary that isn't stored yet: without a context where nothing changes. */
export interface PreparedSummary {
  result: SummarizedThread
  context?: NewContext
}

/** A model whose calls fail with this error. */
const unusableModel = (error: unknown): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider: '',
  modelId: '',
  supportedUrls: {},
  doGenerate: () => Promise.reject(error),
  doStream: () => Promise.reject(error),
})

/** The response where no message could go: the summary that is there. 400 without one. */
function unchanged({ rows }: Turn): PreparedSummary {
  const last = rows.findLast(({ role }) => role === 'summary')
  if (!last) throw new ApiError('bad_request', 'There are no messages to summarize.')
  const count = rows.length + 1
  return {
    result: { summary: unpackSummary(last.content).summary, num_messages_before: count, num_messages_after: count },
  }
}

/**
 * Has the messages in context of a thread summarized; `storeSummary` stores the result. Settings of the request go before the
 * agent's. 400 where there is nothing to summarize, 502 when no model writes a summary.
 */
export async function prepareSummary(
  scope: Scope,
  { models, telemetry }: ModelServices,
  target: Target,
  given: GivenSettings | null | undefined,
  signal: AbortSignal,
): Promise<PreparedSummary> {
  // The agent's own model is needed only where no other one summarizes.
  const lazy = { ...models, of: (...args: Parameters<typeof models.of>) => models.of(...args).catch(unusableModel) }
  const turn = { ...(await viewThread(scope, lazy, target, undefined, signal)), telemetry }
  const offer = offerTools(turn)
  const gauge = createGauge(turn, offer.options.tools)
  const settings = settingsOf(turn.agent.row.compaction_settings, given)
  const summarized = await withinBudget(scope, target, async () => {
    const done = await compact(turn, offer, settings, gauge, { before: gauge.now() }).catch((error) => {
      throw upstreamFailure(error)
    })
    const stored = summarySteps(turn, done?.calls ?? [])
    return { result: done && { ...done, stored }, used: usedBy(stored.steps) }
  })
  if (!summarized) return unchanged(turn)
  const { summary, row, rows, stored } = summarized
  const before = contextWith(turn, [])
  const text = await compileThread(scope, target, turn, rows.length - 1)
  return {
    result: { summary, num_messages_before: before.length, num_messages_after: rows.length + 1 },
    context: {
      threadId: target.threadId,
      before,
      after: [turn.system.id, ...rows.map(({ id }) => id)],
      added: [row],
      count: gauge.count(rows),
      system: { ...turn.system, text },
      ...stored,
    },
  }
}

/** Stores a summary. 409 while a run is carried out, and where one has been meanwhile. */
export async function storeSummary(scope: Scope, { result, context }: PreparedSummary): Promise<SummarizedThread> {
  if (context) await setContext(scope, context)
  return result
}
