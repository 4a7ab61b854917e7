import type { ComponentProps } from 'react'
import { cn } from '../class-names.ts'

export const FIELD =
  'w-full min-w-0 rounded-md border border-input bg-card px-2.5 text-sm placeholder:text-muted-foreground focus-visible:outline-2 focus-visible:outline-offset-[-1px] disabled:opacity-60 aria-invalid:border-destructive'

export function Input({ className, ...props }: ComponentProps<'input'>) {
  return <input className={cn(FIELD, 'h-8', className)} {...props} />
}

export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return <textarea className={cn(FIELD, 'field-sizing-content min-h-16 py-1.5', className)} {...props} />
}

/** The browser's own list of choices, which phones and keyboards know how to use. */
export function NativeSelect({ className, ...props }: ComponentProps<'select'>) {
  return <select className={cn(FIELD, 'h-8 pr-7', className)} {...props} />
}
