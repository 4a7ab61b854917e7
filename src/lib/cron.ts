import { CronExpressionParser } from 'cron-parser'

/** Five fields, or a name for them. The parser also takes seconds, and `H` for a time of its own choice: neither is served. */
const FORM = /^(@(yearly|annually|monthly|weekly|daily|midnight|hourly)|[^\s@]+( +[^\s@]+){4})$/
const HASHED = /(^|[\s,])H/i

/**
 * The next instant after `after` that a cron expression names in an IANA time zone. A time that the clock skips comes an hour
 * later, one that it shows twice comes once; hours count as they pass. Undefined for an expression that is not valid, or names none.
 */
export function nextInstant(expression: string, timezone: string, after: Date): Date | undefined {
  if (!FORM.test(expression) || HASHED.test(expression)) return undefined
  try {
    return CronExpressionParser.parse(expression, { currentDate: after, tz: timezone }).next().toDate()
  } catch {
    return undefined
  }
}
