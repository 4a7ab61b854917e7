import { Link } from '@tanstack/react-router'
import type { Agent } from '../../api/generated.ts'
import type { Column } from '../../components/data-table.tsx'
import { StatusBadge } from '../../components/status-badge.tsx'
import { Tags } from '../../components/tags.tsx'
import { Time } from '../../components/time.tsx'
import { AgentMenu } from './agent-menu.tsx'

/** The columns of lists of agents. */
export const AGENT_COLUMNS: Column<Agent>[] = [
  {
    header: 'Name',
    cell: (agent) => (
      <Link
        to="/agents/$agentId"
        params={{ agentId: agent.id }}
        className="font-medium hover:text-primary hover:underline"
      >
        {agent.name}
      </Link>
    ),
  },
  { header: 'Tags', cell: (agent) => <Tags tags={agent.tags} />, className: 'hidden lg:table-cell' },
  {
    header: 'Model',
    cell: (agent) => <span className="text-muted-foreground">{agent.model}</span>,
    className: 'hidden md:table-cell',
  },
  {
    header: 'Last run',
    cell: (agent) => <Time value={agent.last_run_completion} />,
    className: 'hidden w-32 sm:table-cell',
  },
  {
    header: 'Ended with',
    cell: (agent) => <StatusBadge status={agent.last_stop_reason} />,
    className: 'hidden w-36 xl:table-cell',
  },
  { header: 'Created', cell: (agent) => <Time value={agent.created_at} />, className: 'w-32' },
  { header: 'Actions', cell: (agent) => <AgentMenu agent={agent} />, className: 'w-20 text-right' },
]
