const UNITS: [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })

/** The distance of a time from now, such as "5 min. ago". */
export function relativeTime(time: Date, now = new Date()): string {
  const seconds = (time.getTime() - now.getTime()) / 1000
  const unit = UNITS.find(([, length]) => Math.abs(seconds) >= length)
  return unit ? relative.format(Math.round(seconds / unit[1]), unit[0]) : 'just now'
}

/** A time relative to now; the exact time is in its title. */
export function Time({ value }: { value: string | undefined }) {
  if (!value) return <span className="text-muted-foreground">–</span>
  const time = new Date(value)
  return (
    <time dateTime={value} title={absolute.format(time)} className="whitespace-nowrap tabular-nums">
      {relativeTime(time)}
    </time>
  )
}
