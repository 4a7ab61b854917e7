import { randomUUID } from 'node:crypto'
import type { Offer } from '../offer.ts'
import { messagesOf } from '../rows.ts'
import { store } from '../store-step.ts'
import { compileThread } from '../thread.ts'
import { contextWith, type Turn } from '../turn.ts'
import { addUsage, stepUsage } from '../usage.ts'
import { compact } from './compact.ts'
import { createGauge, type Gauge } from './gauge.ts'
import { type Settings, settingsOf } from './settings.ts'
import { summarySteps } from './summary-steps.ts'

/** Thrown when the system prompt and the tools alone are longer than the window. */
export class PromptTooLongError extends Error {}

/** How many of the latest returns of tools stay whole: as many as leave enough room. */
const WHOLE_RETURNS = [5, 3, 1]

/** Shortens old returns of tools, if that makes enough room. Returns whether it does. */
async function shortenReturns(turn: Turn, gauge: Gauge, target: number): Promise<boolean> {
  const before = turn.shortenedTo
  const returns = turn.rows.filter(({ role }) => role === 'tool')
  for (const whole of WHOLE_RETURNS) {
    turn.shortenedTo = returns.at(-1 - whole)?.id ?? before
    const tokens = gauge.now()
    if (turn.shortenedTo === before || tokens > target) continue
    turn.count = gauge.count(turn.rows, tokens)
    await store(turn, { shortenedTo: turn.shortenedTo, count: turn.count })
    return true
  }
  turn.shortenedTo = before
  return false
}

/** The system prompt of a run, compiled anew: its model's provider has to read the messages behind it again anyway. */
async function recompiled(turn: Turn, inContext: number): Promise<Turn['system']> {
  const { scope, run, system } = turn
  return { ...system, text: await compileThread(scope, run, turn, inContext), changed: false }
}

async function summarizeOldest(turn: Turn, offer: Offer, gauge: Gauge, settings: Settings, trigger: string) {
  const { log, run, request } = turn
  const before = gauge.now()
  if (request.include_compaction_messages) {
    log.push({
      message_type: 'event_message',
      id: randomUUID(),
      date: new Date().toISOString(),
      step_id: turn.rows.at(-1)?.step_id ?? undefined,
      run_id: run.id,
      event_type: 'compaction',
      event_data: { trigger, context_token_estimate: before, context_window: gauge.window },
    })
  }
  const done = await compact(turn, offer, settings, gauge, { trigger, before })
  if (!done) return
  const system = await recompiled(turn, done.rows.length - 1)
  Object.assign(turn, { rows: done.rows, system })
  turn.count = gauge.count(done.rows)
  for (const { output } of done.calls) turn.usage = addUsage(turn.usage, stepUsage(output.usage), false)
  const context = contextWith(turn, [])
  const events = request.include_compaction_messages ? messagesOf(turn, [done.row]) : []
  const prompt = { id: system.id, content: [{ type: 'text', text: system.text }] }
  await store(turn, {
    messages: [done.row],
    context,
    count: turn.count,
    events,
    system: prompt,
    ...summarySteps(turn, done.calls),
  })
}

/** How often a step makes room after its model has refused the prompt as too long. */
export const MAX_OVERFLOWS = 3

/**
 * Makes room in the context before a call of the model that would come too close to the end of its window, or after the
 * model has refused the prompt as too long `overflows` times. Old returns of tools are shortened first, then the oldest
 * messages are summarized. Throws a PromptTooLongError, a LostRunError, or the abort of the run.
 */
export async function makeRoom(turn: Turn, offer: Offer, overflows = 0): Promise<void> {
  const gauge = createGauge(turn, offer.options.tools)
  // The refused prompt was at least as long as the window.
  if (overflows > 0) turn.count = gauge.count(turn.rows, Math.max(gauge.window, gauge.now()))
  else if (gauge.now() <= gauge.limit) return
  const own = settingsOf(turn.agent.row.compaction_settings)
  const settings = overflows === MAX_OVERFLOWS ? { ...own, mode: 'all' as const } : own
  if (overflows === 0 && (await shortenReturns(turn, gauge, (1 - own.share) * gauge.window))) return
  const trigger = overflows === 0 ? 'post_step_context_check' : 'context_window_exceeded'
  if (turn.rows.length > 0) await summarizeOldest(turn, offer, gauge, settings, trigger)
  const prompt = createGauge({ ...turn, inputs: [] }, offer.options.tools)
  if (prompt.tokens([]) >= gauge.window) throw new PromptTooLongError()
}
