import { ChevronRightIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from './class-names.ts'

interface Props {
  summary: ReactNode
  open?: boolean
  className?: string
  onToggle?: (open: boolean) => void
  children: ReactNode
}

/** A part that is folded until somebody asks for it. */
export function Fold({ summary, open, className, onToggle, children }: Props) {
  return (
    <details
      open={open}
      className={cn('group rounded-md border', className)}
      onToggle={({ currentTarget }) => onToggle?.(currentTarget.open)}
    >
      <summary className="flex cursor-pointer list-none items-center gap-1.5 rounded-md px-2.5 py-1.5 hover:bg-muted/60 focus-visible:outline-2 [&::-webkit-details-marker]:hidden">
        <ChevronRightIcon className="size-3.5 shrink-0 text-muted-foreground transition-transform group-open:rotate-90" />
        {summary}
      </summary>
      <div className="border-t px-2.5 py-2">{children}</div>
    </details>
  )
}
