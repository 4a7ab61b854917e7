/** The clock of a time zone. */
export interface Clock {
  /** The offset from UTC at an instant, both in milliseconds; positive east of Greenwich. */
  offsetAt(instant: number): number
}

/** The clock of an IANA time zone. It is slow to create: create one for all instants of a request. */
export function createClock(zone: string): Clock {
  if (zone === 'UTC') return { offsetAt: () => 0 }
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  return { offsetAt: (instant) => offsetIn(format, instant) }
}

function offsetIn(format: Intl.DateTimeFormat, instant: number): number {
  const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')!.value
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?/.exec(name)!
  return (sign === '-' ? -1 : 1) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000
}

/** An instant in the zone of a clock: ISO 8601 with milliseconds and the offset from UTC. */
export function inZone(instant: Date, clock: Clock): string {
  const offset = clock.offsetAt(instant.getTime())
  const minutes = Math.round(Math.abs(offset) / 60_000)
  const two = (value: number) => String(value).padStart(2, '0')
  const local = new Date(instant.getTime() + offset).toISOString().slice(0, -1)
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
