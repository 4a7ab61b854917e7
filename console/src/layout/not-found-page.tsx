import { Link } from '@tanstack/react-router'
import { EmptyState } from '../components/states.tsx'
import { Page } from './page.tsx'

/** Shown for an address without a page. */
export function NotFoundPage() {
  return (
    <Page title="No such page">
      <EmptyState title="There is no page at this address.">
        <Link to="/agents" className="text-primary underline">
          To the agents
        </Link>
      </EmptyState>
    </Page>
  )
}
