import { lazyRouteComponent as lazy } from '@tanstack/react-router'
import { ActivityIcon, BotIcon } from 'lucide-react'
import { page, startRoute } from './root-route.ts'

/** Every page, in the order of the navigation. A page's code is loaded when it is first opened. */
export const routes = [
  startRoute,
  page(
    '/agents',
    lazy(() => import('./pages/agents/agents-page.tsx'), 'AgentsPage'),
    { label: 'Agents', icon: BotIcon },
  ),
  page(
    '/agents/$agentId',
    lazy(() => import('./pages/agent/agent-page.tsx'), 'AgentPage'),
  ),
  page(
    '/runs',
    lazy(() => import('./pages/runs/runs-page.tsx'), 'RunsPage'),
    { label: 'Runs', icon: ActivityIcon },
  ),
  page(
    '/runs/$runId',
    lazy(() => import('./pages/run/run-page.tsx'), 'RunPage'),
  ),
] as const
