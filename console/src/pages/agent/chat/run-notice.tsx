import { RotateCcwIcon } from 'lucide-react'
import { textOf } from '../../../components/text-of.ts'
import { Button } from '../../../components/ui/button.tsx'
import type { LiveRun } from './use-live-run.ts'

const REASONS: Record<string, string> = {
  cancelled: 'The run was cancelled.',
  max_steps: 'The run reached its limit of steps.',
  max_tokens_exceeded: 'The answer was cut at the limit of its length.',
  insufficient_credits: 'A budget is used up.',
}

/** Why the run ended, where it isn't plain; after an error, a second try. */
export function RunNotice({ run, onRetry }: { run: LiveRun; onRetry: (text: string) => void }) {
  const reason = REASONS[run.stopReason ?? '']
  if (run.running || (!run.error && !reason)) return null
  const last = run.messages.findLast(({ message_type }) => message_type === 'user_message')
  const text = last && 'content' in last ? textOf(last.content) : undefined
  return (
    <div role="alert" className="flex flex-wrap items-center gap-2 rounded-md border border-destructive/40 px-3 py-2">
      <p className="min-w-0 flex-1 text-destructive">{run.error ?? reason}</p>
      {run.error && text && (
        <Button size="small" onClick={() => onRetry(text)}>
          <RotateCcwIcon /> Retry
        </Button>
      )}
    </div>
  )
}
