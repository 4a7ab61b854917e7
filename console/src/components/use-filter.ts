import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { Filters } from '../root-route.ts'

/** A filter of the page, stored in its address: reloading and links show the same rows. An empty text is no filter. */
export function useFilter(name: string): [value: string, set: (value: string) => void] {
  const filters = useSearch({ strict: false }) as Filters
  const navigate = useNavigate()
  const set = useCallback(
    (value: string) =>
      void navigate({
        to: '.',
        search: (filters: Filters) => ({ ...filters, [name]: value || undefined }),
        replace: true,
      }),
    [navigate, name],
  )
  return [filters[name] ?? '', set]
}
