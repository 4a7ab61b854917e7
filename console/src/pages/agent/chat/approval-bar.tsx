import { CheckIcon, XIcon } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../components/ui/button.tsx'
import { Input } from '../../../components/ui/input.tsx'
import type { ToolEntry } from './entries.ts'

interface Props {
  calls: ToolEntry[]
  onDecide: (approve: boolean, reason: string) => void
}

/** Approves or denies the calls that wait; the model reads the reason of a denial. */
export function ApprovalBar({ calls, onDecide }: Props) {
  const [reason, setReason] = useState('')
  return (
    <section aria-label="Approval" className="grid gap-2 rounded-lg border border-warning/50 bg-warning/8 p-3">
      <p>
        The agent asks to call <strong>{calls.map(({ name }) => name).join(', ')}</strong>.
      </p>
      <div className="flex flex-wrap gap-2">
        <Input
          aria-label="Reason for a denial"
          placeholder="Reason for a denial (the agent reads it)"
          className="w-auto min-w-60 flex-1"
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
        <Button variant="primary" onClick={() => onDecide(true, '')}>
          <CheckIcon /> Approve
        </Button>
        <Button variant="destructive" onClick={() => onDecide(false, reason)}>
          <XIcon /> Deny
        </Button>
      </div>
    </section>
  )
}
