const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d(?::?\d\d)?)?)?$/i
const DAY = 86_400_000

const clocks = new Map<string, Intl.DateTimeFormat>()

/** How far the clocks of an IANA time zone are ahead of UTC at an instant, in milliseconds. */
function offsetAt(instant: number, zone: string): number {
  let clock = clocks.get(zone)
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    // As many as there are zones, and their aliases in any case.
    if (clocks.size < 1000) clocks.set(zone, clock)
  }
  const name = clock.formatToParts(instant).find(({ type }) => type === 'timeZoneName')!.value
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?/.exec(name)!
  return (sign === '-' ? -1 : 1) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
}

/** The instant at which the clocks of a zone show what clocks in UTC show at `shown`; of a skipped hour, the one after it. */
function instantAt(shown: number, zone: string): number {
  const guess = shown - offsetAt(shown, zone)
  return shown - offsetAt(guess, zone)
}

/** Where a day or an instant, as a caller writes it, begins, and where what comes after it does. */
export interface Span {
  from: Date
  before: Date
}

/**
 * Reads a date (`2026-11-21`: that whole day) or a date and time (`2026-11-21T08:30`, with seconds and a zone if you like)
 * of ISO 8601. What names no zone is of `zone`, an IANA name. Undefined for any other text.
 */
export function readSpan(text: string, zone: string): Span | undefined {
  const [, date, time, given] = DATE.exec(text) ?? []
  if (date === undefined) return undefined
  const day = Date.parse(`${date}T00:00Z`)
  // The language takes 30 February for 2 March. What lies in the years 1 to 9999 here does so in any zone.
  if (!new Date(day).toJSON()?.startsWith(date) || date < '0001-01-02' || date > '9999-12-30') return undefined
  if (time === undefined) {
    return { from: new Date(instantAt(day, zone)), before: new Date(instantAt(day + DAY, zone)) }
  }
  const shown = Date.parse(`${date}T${time}Z`)
  if (Number.isNaN(shown)) return undefined
  const ahead = given === undefined ? undefined : offsetOf(given)
  const from = ahead === undefined ? instantAt(shown, zone) : shown - ahead
  return Number.isNaN(from) ? undefined : { from: new Date(from), before: new Date(from + 1) }
}

/** `+05:30` in milliseconds. */
function offsetOf(given: string): number {
  if (/^z$/i.test(given)) return 0
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(given)!
  if (Number(hours) > 15 || Number(minutes) > 59) return Number.NaN
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** An instant as the clocks of an IANA time zone show it: ISO 8601 with milliseconds and the offset from UTC. */
export function inZone(instant: Date, zone: string): string {
  const ahead = offsetAt(instant.getTime(), zone)
  const minutes = Math.round(Math.abs(ahead) / 60_000)
  const two = (value: number) => String(value).padStart(2, '0')
  const shown = new Date(instant.getTime() + ahead).toISOString().slice(0, -1)
  return `${shown}${ahead < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
