import type { QueryKey } from '@tanstack/react-query'
import { Trash2Icon } from 'lucide-react'
import { useAction } from '../api/use-action.ts'
import { useConfirm } from './confirm.tsx'
import { Button } from './ui/button.tsx'

interface Props {
  /** What is deleted, with its name. */
  what: string
  /** What goes with it. */
  body?: string
  /** The word for it. */
  action?: string
  remove: () => Promise<unknown>
  /** The lists to load again. */
  changes: QueryKey[]
  onDeleted?: () => void
}

/** A button that deletes something after a question. */
export function DeleteButton({ what, body, action = 'Delete', remove, changes, onDeleted }: Props) {
  const confirm = useConfirm()
  const { run, pending } = useAction(remove, { changes, ...(onDeleted && { onSuccess: onDeleted }) })
  const ask = async () => {
    if (await confirm({ title: `${action} ${what}?`, body, action })) run(undefined)
  }
  return (
    <Button variant="ghost" size="iconSmall" aria-label={`${action} ${what}`} disabled={pending} onClick={ask}>
      <Trash2Icon />
    </Button>
  )
}
