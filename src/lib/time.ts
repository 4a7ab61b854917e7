const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/i
const DAY = 86_400_000

/** The clocks of one time zone. */
export interface Clock {
  /** The offset from UTC at an instant, both in milliseconds; positive east of Greenwich. */
  offsetAt(instant: number): number
}

/** The clocks of an IANA time zone. Making them takes long: make them once for all instants of a request. */
export function createClock(zone: string): Clock {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  return { offsetAt: (instant) => offsetIn(format, instant) }
}

function offsetIn(format: Intl.DateTimeFormat, instant: number): number {
  const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')!.value
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?/.exec(name)!
  return (sign === '-' ? -1 : 1) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
}

/** The instant at which clocks show the time that clocks in UTC show at `shown`; for a skipped hour, the hour after it. */
function instantAt(shown: number, clock: Clock): number {
  const guess = shown - clock.offsetAt(shown)
  return shown - clock.offsetAt(guess)
}

/** A day or a millisecond: its beginning, and the beginning of the next. */
export interface Span {
  from: Date
  before: Date
}

/**
 * Reads a date (`2026-11-21`: that whole day) or a date and time (`2026-11-21T08:30`, optionally with seconds and a zone)
 * of ISO 8601. A text without a zone is read by `clock`. Undefined for any other text.
 */
export function readSpan(text: string, clock: Clock): Span | undefined {
  const [, date, time, given] = DATE.exec(text) ?? []
  if (date === undefined) return undefined
  const day = Date.parse(`${date}T00:00Z`)
  // The language takes 30 February for 2 March. What lies in the years 1 to 9999 here does so in any zone.
  if (!new Date(day).toJSON()?.startsWith(date) || date < '0001-01-02' || date > '9999-12-30') return undefined
  if (time === undefined) {
    return { from: new Date(instantAt(day, clock)), before: new Date(instantAt(day + DAY, clock)) }
  }
  const shown = Date.parse(`${date}T${time}Z`)
  if (Number.isNaN(shown)) return undefined
  const ahead = given === undefined ? undefined : offsetOf(given)
  const from = ahead === undefined ? instantAt(shown, clock) : shown - ahead
  return Number.isNaN(from) ? undefined : { from: new Date(from), before: new Date(from + 1) }
}

/** `+05:30` in milliseconds. */
function offsetOf(given: string): number {
  if (/^z$/i.test(given)) return 0
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(given)!
  if (Number(hours) > 15 || Number(minutes) > 59) return Number.NaN
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** An instant as a clock shows it: ISO 8601 with milliseconds and the offset from UTC. */
export function inZone(instant: Date, clock: Clock): string {
  const ahead = clock.offsetAt(instant.getTime())
  const minutes = Math.round(Math.abs(ahead) / 60_000)
  const two = (value: number) => String(value).padStart(2, '0')
  const shown = new Date(instant.getTime() + ahead).toISOString().slice(0, -1)
  return `${shown}${ahead < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
