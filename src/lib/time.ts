import type { Clock } from './clock.ts'

const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/i
const DAY = 86_400_000

/** The instant of a local time, which is encoded as the instant when UTC shows it. In a skipped hour, one hour later. */
function instantAt(local: number, clock: Clock): number {
  const guess = local - clock.offsetAt(local)
  return local - clock.offsetAt(guess)
}

/** A day or a millisecond, from its start to the start of the next. */
export interface Span {
  from: Date
  before: Date
}

/**
 * Parses a date (`2026-11-21`: the whole day) or a date and time (`2026-11-21T08:30`, optionally with seconds and a zone)
 * of ISO 8601. `clock` applies to text without a zone. Undefined for any other text.
 */
export function readSpan(text: string, clock: Clock): Span | undefined {
  const [, date, time, zone] = DATE.exec(text) ?? []
  if (date === undefined) return undefined
  const day = Date.parse(`${date}T00:00Z`)
  // Date reads 30 February as 2 March. The margin of a day keeps the years 1 to 9999 in any zone.
  if (!new Date(day).toJSON()?.startsWith(date) || date < '0001-01-02' || date > '9999-12-30') return undefined
  if (time === undefined) {
    return { from: new Date(instantAt(day, clock)), before: new Date(instantAt(day + DAY, clock)) }
  }
  const local = Date.parse(`${date}T${time}Z`)
  if (Number.isNaN(local)) return undefined
  const from = zone === undefined ? instantAt(local, clock) : local - offsetOf(zone)
  return Number.isNaN(from) ? undefined : { from: new Date(from), before: new Date(from + 1) }
}

/** An offset from UTC such as `+05:30`, in milliseconds; NaN beyond 15:59. */
function offsetOf(zone: string): number {
  if (/^z$/i.test(zone)) return 0
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone)!
  if (Number(hours) > 15 || Number(minutes) > 59) return Number.NaN
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
