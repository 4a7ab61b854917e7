import { Popover as Primitive } from 'radix-ui'
import type { ReactNode } from 'react'
import { cn } from '../class-names.ts'

interface Props {
  trigger: ReactNode
  open?: boolean
  onOpenChange?: (open: boolean) => void
  className?: string
  children: ReactNode
}

/** A small panel beside its trigger, which is a button. */
export function Popover({ trigger, open, onOpenChange, className, children }: Props) {
  return (
    <Primitive.Root {...(open === undefined ? {} : { open })} {...(onOpenChange ? { onOpenChange } : {})}>
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          className={cn('z-50 w-72 rounded-md border bg-card shadow-lg', className)}
        >
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  )
}
