import type { RunSpan } from '../../api/generated.ts'
import { cn } from '../../components/class-names.ts'
import { formatDuration } from '../../components/quantities.ts'
import { labelOf, rowsOf } from './spans.ts'

const COLOURS: Record<RunSpan['name'], string> = {
  invoke_agent: 'bg-stone-400',
  time_to_first_token: 'bg-amber-500',
  agent_step: 'bg-teal-600',
  summarization: 'bg-sky-600',
  execute_tool: 'bg-indigo-500',
}

/** The spans of a run below each other, each where it began and as long as it took. */
export function Waterfall({ spans }: { spans: RunSpan[] }) {
  const rows = rowsOf(spans, Date.now())
  if (rows.length === 0) return null
  return (
    <section aria-label="Waterfall" className="rounded-lg border bg-card px-4 py-3">
      <ol className="grid gap-1">
        {rows.map(({ span, depth, left, width }) => (
          <li
            key={span.span_id}
            className="grid grid-cols-[1fr_4.5rem] items-center gap-x-3 sm:grid-cols-[minmax(6rem,14rem)_1fr_4.5rem]"
          >
            <span className="truncate" style={{ paddingLeft: `${depth * 0.75}rem` }}>
              {labelOf(span)}
            </span>
            <span className="relative order-last col-span-2 h-4 rounded-sm bg-muted sm:order-none sm:col-span-1">
              <span
                className={cn(
                  'absolute inset-y-0 min-w-0.5 rounded-sm',
                  span.status === 'error' ? 'bg-destructive' : COLOURS[span.name],
                  span.duration_ns === undefined && 'animate-pulse',
                )}
                style={{ left: `${left}%`, width: `${width}%` }}
              />
            </span>
            <span className="text-right text-muted-foreground text-xs tabular-nums">
              {formatDuration(span.duration_ns)}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
