import type { IconButtonProps } from '@rjsf/utils'
import { ArrowDownIcon, ArrowUpIcon, CopyIcon, type LucideIcon, PlusIcon, XIcon } from 'lucide-react'
import { Button } from '../ui/button.tsx'

const iconButton = (Icon: LucideIcon, label: string) =>
  function FormIconButton({ id, onClick, disabled }: IconButtonProps) {
    return (
      <Button id={id} variant="ghost" size="iconSmall" aria-label={label} onClick={onClick} disabled={disabled}>
        <Icon />
      </Button>
    )
  }

function AddButton({ id, onClick, disabled }: IconButtonProps) {
  return (
    <Button id={id} size="small" onClick={onClick} disabled={disabled} className="justify-self-start">
      <PlusIcon /> Add
    </Button>
  )
}

/** The buttons of lists in forms. */
export const ButtonTemplates = {
  AddButton,
  CopyButton: iconButton(CopyIcon, 'Copy'),
  MoveUpButton: iconButton(ArrowUpIcon, 'Move up'),
  MoveDownButton: iconButton(ArrowDownIcon, 'Move down'),
  RemoveButton: iconButton(XIcon, 'Remove'),
  ClearButton: iconButton(XIcon, 'Clear'),
  SubmitButton: () => null,
}
