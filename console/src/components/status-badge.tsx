import { Badge, type Tone } from './ui/badge.tsx'

const TONES: Record<string, Tone> = {
  completed: 'success',
  success: 'success',
  running: 'accent',
  pending: 'accent',
  created: 'neutral',
  cancelled: 'warning',
  requires_approval: 'warning',
  failed: 'destructive',
  error: 'destructive',
}

/** A status in the colour of its meaning. */
export function StatusBadge({ status }: { status: string | undefined }) {
  if (!status) return <span className="text-muted-foreground">–</span>
  return (
    <Badge tone={TONES[status] ?? 'neutral'} className="shrink-0">
      {status.replaceAll('_', ' ')}
    </Badge>
  )
}
