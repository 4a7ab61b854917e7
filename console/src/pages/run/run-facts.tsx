import type { Run, RunUsage, Step } from '../../api/generated.ts'
import { formatCost, formatDuration, formatNumber } from '../../components/quantities.ts'
import { Time } from '../../components/time.tsx'

/** The numbers of a run at a glance. */
export function RunFacts({ run, usage, steps }: { run: Run; usage: RunUsage; steps: Step[] }) {
  const facts = [
    ['Begun', <Time key="time" value={run.created_at} />],
    ['Duration', formatDuration(run.total_duration_ns)],
    ['First token', formatDuration(run.ttft_ns)],
    ['Steps', formatNumber(steps.length)],
    ['Tokens in', formatNumber(usage.prompt_tokens)],
    ['Tokens out', formatNumber(usage.completion_tokens)],
    ['Cost', formatCost(usage.cost)],
    ['Ended with', run.stop_reason?.replaceAll('_', ' ') ?? '–'],
  ] as const
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-2 rounded-lg border bg-card px-4 py-3 sm:grid-cols-4 xl:grid-cols-8">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="text-muted-foreground text-xs">{name}</dt>
          <dd className="truncate font-medium tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
