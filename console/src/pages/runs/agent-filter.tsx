import { useQuery } from '@tanstack/react-query'
import { XIcon } from 'lucide-react'
import { listAgents, retrieveAgent } from '../../api/generated.ts'
import { PickMenu } from '../../components/pick-menu.tsx'
import { Button } from '../../components/ui/button.tsx'
import { useFilter } from '../../components/use-filter.ts'

/** Limits the runs to those of one agent. */
export function AgentFilter() {
  const [agentId, setAgentId] = useFilter('agent')
  const { data } = useQuery({
    queryKey: ['agent', agentId, 'name'],
    queryFn: () => retrieveAgent(agentId),
    enabled: agentId !== '',
  })
  if (agentId) {
    return (
      <Button onClick={() => setAgentId('')} aria-label={`All agents instead of ${data?.name ?? agentId}`}>
        {data?.name ?? agentId} <XIcon />
      </Button>
    )
  }
  return (
    <PickMenu
      label="Agent"
      queryKey="agents"
      without={[]}
      search={(text) => listAgents({ limit: 50, ...(text && { queryText: text }) })}
      describe={({ model }) => model}
      onPick={setAgentId}
    />
  )
}
