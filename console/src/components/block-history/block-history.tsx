import { HistoryIcon } from 'lucide-react'
import { useState } from 'react'
import type { Block } from '../../api/generated.ts'
import { reportError } from '../../api/problem.ts'
import { Loaded } from '../states.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Timeline } from './timeline.tsx'
import { useBlockHistory } from './use-block-history.ts'

function History({ blockId, label }: { blockId: string; label: string }) {
  const history = useBlockHistory(blockId)
  const more = () => void history.fetchNextPage({ throwOnError: true }).catch(reportError)
  return (
    <Loaded query={history}>
      {(changes) => (
        <>
          <Timeline blockId={blockId} label={label} changes={changes} />
          {history.hasNextPage && (
            <Button disabled={history.isFetchingNextPage} onClick={more}>
              Show older changes
            </Button>
          )}
        </>
      )}
    </Loaded>
  )
}

/** A button that opens the history of a block. */
export function BlockHistory({ block: { id = '', label = 'block' } }: { block: Block }) {
  const [shown, setShown] = useState(false)
  return (
    <>
      <Button variant="ghost" size="iconSmall" aria-label={`History of ${label}`} onClick={() => setShown(true)}>
        <HistoryIcon />
      </Button>
      <Dialog
        open={shown}
        onOpenChange={setShown}
        title={`History of ${label}`}
        description="Added words are underlined, removed words struck out."
        className="w-[min(48rem,94vw)]"
      >
        <History blockId={id} label={label} />
      </Dialog>
    </>
  )
}
