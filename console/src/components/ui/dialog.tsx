import { XIcon } from 'lucide-react'
import { Dialog as Primitive } from 'radix-ui'
import type { ReactNode } from 'react'
import { cn } from '../class-names.ts'
import { Button } from './button.tsx'

interface Props {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: ReactNode
  className?: string
  children: ReactNode
}

/** A dialog in the middle of the page. Its content is mounted only while it is open. */
export function Dialog({ open, onOpenChange, title, description, className, children }: Props) {
  return (
    <Primitive.Root open={open} onOpenChange={onOpenChange}>
      <Primitive.Portal>
        <Primitive.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Primitive.Content
          {...(description ? {} : { 'aria-describedby': undefined })}
          className={cn(
            'fixed top-1/2 left-1/2 z-50 flex max-h-[92dvh] w-[min(36rem,94vw)] -translate-x-1/2 -translate-y-1/2 flex-col rounded-lg border bg-card shadow-xl',
            className,
          )}
        >
          <header className="flex items-start justify-between gap-4 px-5 pt-4 pb-3">
            <div>
              <Primitive.Title className="font-semibold text-base">{title}</Primitive.Title>
              {description && (
                <Primitive.Description className="mt-0.5 text-muted-foreground">{description}</Primitive.Description>
              )}
            </div>
            <Primitive.Close asChild>
              <Button variant="ghost" size="iconSmall" aria-label="Close">
                <XIcon />
              </Button>
            </Primitive.Close>
          </header>
          <div className="grid min-h-0 gap-4 overflow-y-auto px-5 pt-1 pb-5">{children}</div>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  )
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="flex flex-wrap justify-end gap-2 pt-1">{children}</div>
}
