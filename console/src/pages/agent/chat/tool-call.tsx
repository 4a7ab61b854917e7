import { WrenchIcon } from 'lucide-react'
import { Fold } from '../../../components/fold.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import type { ToolEntry } from './entries.ts'

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}

const Text = ({ label, children }: { label: string; children: string }) => (
  <div>
    <p className="text-muted-foreground text-xs">{label}</p>
    <pre className="wrap-anywhere max-h-80 overflow-auto whitespace-pre-wrap font-mono text-[13px]">{children}</pre>
  </div>
)

function statusOf({ approval, result }: ToolEntry): string {
  if (result) return result.failed ? 'error' : 'success'
  if (approval?.approved === false) return 'denied'
  return approval && approval.approved === undefined ? 'requires_approval' : 'running'
}

/** A call of a tool: folded, its name, the beginning of its arguments and its state; unfolded, everything. */
export function ToolCall({ entry }: { entry: ToolEntry }) {
  const { name, result, approval } = entry
  const waits = approval !== undefined && approval.approved === undefined && !result
  return (
    <Fold
      open={waits}
      className="bg-card"
      summary={
        <>
          <WrenchIcon className="size-3.5 shrink-0 text-muted-foreground" aria-hidden />
          <span className="font-medium">{name}</span>
          <span className="min-w-0 flex-1 truncate font-mono text-muted-foreground text-xs">{entry.arguments}</span>
          <StatusBadge status={statusOf(entry)} />
        </>
      }
    >
      <div className="grid gap-2">
        <Text label="Arguments">{indented(entry.arguments)}</Text>
        {approval?.approved !== undefined && (
          <p className="text-muted-foreground text-xs">
            {approval.approved ? 'Approved' : 'Denied'}
            {approval.reason && `: ${approval.reason}`}
          </p>
        )}
        {result && <Text label={result.failed ? 'Error' : 'Result'}>{result.text}</Text>}
        {result && result.output.length > 0 && <Text label="Output">{result.output.join('\n')}</Text>}
      </div>
    </Fold>
  )
}
