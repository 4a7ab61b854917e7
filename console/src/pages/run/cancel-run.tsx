import { SquareIcon } from 'lucide-react'
import { cancelMessage, type Run } from '../../api/generated.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../components/ui/button.tsx'

/** Cancels a run that goes on. */
export function CancelRun({ run }: { run: Run }) {
  const cancel = useAction(() => cancelMessage(run.agent_id, { run_ids: [run.id] }), {
    changes: [['run', run.id], ['runs']],
    done: 'Cancelled the run',
  })
  return (
    <Button disabled={cancel.pending} onClick={() => cancel.run(undefined)}>
      <SquareIcon /> Cancel
    </Button>
  )
}
