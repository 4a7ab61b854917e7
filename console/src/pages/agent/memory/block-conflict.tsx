import { lazy, Suspense, useState } from 'react'
import { LoadingState } from '../../../components/states.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Dialog, DialogActions } from '../../../components/ui/dialog.tsx'

const MergeEditor = lazy(() =>
  import('../../../components/editor/merge-editor.tsx').then(({ MergeEditor }) => ({ default: MergeEditor })),
)

interface Props {
  theirs: string
  mine: string
  onMerged: (merged: string) => void
  onClose: () => void
}

/** Both sides of a conflict: the stored text, and the user's, into which parts of the stored one are taken. */
export function BlockConflict({ theirs, mine, onMerged, onClose }: Props) {
  const [merged, setMerged] = useState(mine)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="The block has changed meanwhile"
      description="Left: the stored text. Right: yours, which you can still edit. The arrows take a stored part over."
      className="w-[min(64rem,96vw)]"
    >
      <Suspense fallback={<LoadingState />}>
        <MergeEditor theirs={theirs} mine={mine} onChange={setMerged} />
      </Suspense>
      <DialogActions>
        <Button onClick={() => onMerged(theirs)}>Take the stored text</Button>
        <Button variant="primary" onClick={() => onMerged(merged)}>
          Use the right side
        </Button>
      </DialogActions>
    </Dialog>
  )
}
