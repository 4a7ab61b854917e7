import { cn } from '../../../components/class-names.ts'
import { formatNumber } from '../../../components/quantities.ts'

/** The characters of a text, counted as the server counts them: Unicode code points. */
const lengthOf = (text: string) => [...text].length

/** How much of a block's limit its text uses. */
export function LimitMeter({ value, limit }: { value: string; limit: number | undefined }) {
  if (!limit) return null
  const length = lengthOf(value)
  const share = length / limit
  const text = `${formatNumber(length)} of ${formatNumber(limit)} characters`
  return (
    <div className="mt-2 flex items-center gap-2 text-muted-foreground text-xs">
      <meter className="sr-only" aria-label="Used" max={limit} value={length}>
        {text}
      </meter>
      <div aria-hidden className="h-1 flex-1 overflow-hidden rounded-full bg-muted">
        <div
          className={cn(
            'h-full rounded-full',
            share > 1 ? 'bg-destructive' : share > 0.9 ? 'bg-warning' : 'bg-primary',
          )}
          style={{ width: `${Math.min(share, 1) * 100}%` }}
        />
      </div>
      <span className={cn('tabular-nums', share > 1 && 'text-destructive')}>{text}</span>
    </div>
  )
}
