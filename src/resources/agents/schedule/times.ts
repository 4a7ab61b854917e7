import { nextInstant } from '../../../lib/cron.ts'
import { inBody, invalid } from '../../../lib/errors.ts'
import { checkTimezone, TIMEZONE } from '../timezone.ts'
import type { Times } from './schema.ts'

/** The first due time after an instant: ISO 8601, or null when none is left. */
export function nextTime(times: Times, after: Date): string | null {
  if ('scheduled_at' in times) {
    return times.scheduled_at > after.getTime() ? new Date(times.scheduled_at).toISOString() : null
  }
  return nextInstant(times.cron_expression, times.timezone ?? TIMEZONE, after)?.toISOString() ?? null
}

/** The first due time from now on. 422 for times that never come. */
export function firstTime(times: Times): string {
  if ('timezone' in times) checkTimezone(times.timezone)
  const next = nextTime(times, new Date())
  if (next !== null) return next
  if ('scheduled_at' in times) throw invalid(inBody('schedule.scheduled_at', 'must lie in the future'))
  const example = 'needs five fields that name a time, such as "0 9 * * MON-FRI"'
  throw invalid(inBody('schedule.cron_expression', example))
}
