import { InboxIcon, LoaderCircleIcon, TriangleAlertIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { problemOf } from '../api/problem.ts'
import { Button } from './ui/button.tsx'

/** Shown while something loads. */
export function LoadingState({ label = 'Loading…' }: { label?: string }) {
  return (
    <div role="status" className="flex items-center justify-center gap-2 p-8 text-muted-foreground">
      <LoaderCircleIcon className="size-4 animate-spin" aria-hidden />
      {label}
    </div>
  )
}

/** Shown where a list has no rows: what belongs there, and a way to add the first one. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 p-10 text-center text-muted-foreground">
      <InboxIcon className="size-6" aria-hidden />
      <p className="font-medium text-foreground">{title}</p>
      {children && <div className="max-w-prose">{children}</div>}
    </div>
  )
}

/** Shown where something could not be loaded: the server's own words, its request id, and a second try. */
export function ErrorState({ error, retry }: { error: unknown; retry?: () => void }) {
  const { message, requestId } = problemOf(error)
  return (
    <div role="alert" className="flex flex-col items-center gap-2 p-10 text-center">
      <TriangleAlertIcon className="size-6 text-destructive" aria-hidden />
      <p className="max-w-prose">{message}</p>
      {requestId && <p className="font-mono text-muted-foreground text-xs">Request {requestId}</p>}
      {retry && (
        <Button size="small" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  )
}

interface Loaded<Data> {
  data: Data | undefined
  error: unknown
  refetch: () => unknown
}

/** Shows what a query has read, or its error, or that it loads. */
export function Loaded<Data>({ query, children }: { query: Loaded<Data>; children: (data: Data) => ReactNode }) {
  if (query.data !== undefined) return children(query.data)
  if (query.error) return <ErrorState error={query.error} retry={() => void query.refetch()} />
  return <LoadingState />
}
