import { createRouter } from '@tanstack/react-router'
import { CONSOLE_PATH } from './api/place.ts'
import { NotFoundPage } from './layout/not-found-page.tsx'
import { PageError } from './layout/page-error.tsx'
import { routes } from './pages.ts'
import { rootRoute } from './root-route.ts'

/** Shows the page of the address. */
export const router = createRouter({
  routeTree: rootRoute.addChildren(routes),
  basepath: CONSOLE_PATH,
  defaultPreload: 'intent',
  defaultErrorComponent: PageError,
  defaultNotFoundComponent: NotFoundPage,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
