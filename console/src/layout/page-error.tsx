import type { ErrorComponentProps } from '@tanstack/react-router'
import { ErrorState } from '../components/states.tsx'

/** Shown in place of a page that failed. */
export function PageError({ error, reset }: ErrorComponentProps) {
  return <ErrorState error={error} retry={reset} />
}
