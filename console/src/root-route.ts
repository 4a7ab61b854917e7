import { createRootRoute, createRoute, type RouteComponent, redirect } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import { Shell } from './layout/shell.tsx'

/** Filters of a page in its address. */
export type Filters = Record<string, string | undefined>

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The page's entry in the navigation; a page without one is reached from another page. */
    nav?: { label: string; icon: LucideIcon }
  }
}

/** The frame around every page. */
export const rootRoute = createRootRoute({ component: Shell })

const filtersOf = (search: Record<string, unknown>): Filters =>
  Object.fromEntries(
    Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )

/** A page: its path, its component, and its entry in the navigation. */
export function page<const Path extends string>(
  path: Path,
  component: RouteComponent,
  nav?: { label: string; icon: LucideIcon },
) {
  return createRoute({
    getParentRoute: () => rootRoute,
    path,
    component,
    validateSearch: filtersOf,
    staticData: nav ? { nav } : {},
  })
}

/** The console's first address leads to the agents. */
export const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/agents' as string })
  },
})
