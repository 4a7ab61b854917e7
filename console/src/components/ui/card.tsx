import type { ComponentProps, ReactNode } from 'react'
import { cn } from '../class-names.ts'

/** A framed part of a page with a title and, at its right, buttons. */
export function Card({
  title,
  actions,
  className,
  children,
  ...props
}: Omit<ComponentProps<'section'>, 'title'> & { title?: ReactNode; actions?: ReactNode }) {
  return (
    <section className={cn('rounded-lg border bg-card', className)} {...props}>
      {(title || actions) && (
        <header className="flex min-h-10 flex-wrap items-center justify-between gap-2 border-b px-3 py-1.5">
          <h2 className="font-medium">{title}</h2>
          <div className="flex gap-1.5">{actions}</div>
        </header>
      )}
      <div className="p-3">{children}</div>
    </section>
  )
}
