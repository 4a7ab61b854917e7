import { Tooltip as Primitive } from 'radix-ui'
import type { ReactNode } from 'react'

export const TooltipProvider = Primitive.Provider

/** Explains its child, which must take the focus, at hover and focus. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <Primitive.Root>
      <Primitive.Trigger asChild>{children}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-w-72 rounded bg-foreground px-2 py-1 text-background text-xs"
        >
          {text}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  )
}
