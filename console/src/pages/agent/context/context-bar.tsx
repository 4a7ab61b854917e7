import { cn } from '../../../components/class-names.ts'
import { formatNumber } from '../../../components/quantities.ts'
import type { Part } from './parts.ts'

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/** The context window as a bar: each part as wide as its tokens, the rest is free. */
export function ContextBar({ parts, size, used }: { parts: Part[]; size: number; used: number }) {
  const text = `${formatNumber(used)} of ${formatNumber(size)} tokens used, ${percent.format(used / size)}`
  return (
    <div className="grid gap-1.5">
      <div role="img" aria-label={text} className="flex h-5 overflow-hidden rounded-md bg-muted">
        {parts.map(({ name, tokens, colour }) => (
          <div
            key={name}
            title={`${name}: ${formatNumber(tokens)} tokens`}
            className={cn('min-w-0.5 border-background border-r', colour)}
            style={{ width: `${(tokens / Math.max(size, used)) * 100}%` }}
          />
        ))}
      </div>
      <p className="flex justify-between text-muted-foreground text-xs tabular-nums">
        <span>{text}</span>
        <span>{formatNumber(Math.max(size - used, 0))} free</span>
      </p>
    </div>
  )
}
