import { useConfirm } from '../confirm.tsx'
import { Button } from '../ui/button.tsx'
import { ChangeEntry } from './change-entry.tsx'
import type { Change } from './use-block-history.ts'
import { useRestore } from './use-restore.ts'

interface Props {
  blockId: string
  label: string
  changes: Change[]
}

/** The changes of a block, the last one first, each with a way back. */
export function Timeline({ blockId, label, changes }: Props) {
  const last = changes[0]?.made
  const confirm = useConfirm()
  const restore = useRestore(blockId, last?.version ?? 0)
  const ask = async (action: string, version: number) => {
    const title = `Set ${label} back to version ${version}?`
    const body = 'The value and the settings of that version come back, as a change of its own. The history keeps both.'
    if (await confirm({ title, body, action })) restore.run(version)
  }
  const wayBack = ({ made, former }: Change) => {
    if (last?.operation === 'delete') return
    const isLast = made === last
    // The link to an identity is no setting: it doesn't come back with a version.
    if (isLast && (!former || made.operation !== 'update')) return
    const version = isLast ? former!.version : made.version
    const action = isLast ? 'Undo' : 'Restore this version'
    return (
      <Button size="small" disabled={restore.pending} onClick={() => void ask(isLast ? 'Undo' : 'Restore', version)}>
        {action}
      </Button>
    )
  }
  return (
    <ol aria-label={`Changes of ${label}`} className="grid gap-4">
      {changes.map((change) => (
        <ChangeEntry key={change.made.version} change={change}>
          {wayBack(change)}
        </ChangeEntry>
      ))}
    </ol>
  )
}
