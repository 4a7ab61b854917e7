import { useQuery } from '@tanstack/react-query'
import { listAgents } from '../api/generated.ts'

/** The names of the newest agents by id: one request for a whole list. Older agents are shown by their ids. */
export function useAgentNames(agentIds: readonly string[]): ReadonlyMap<string, string> {
  const { data = [] } = useQuery({
    queryKey: ['agents', 'names'],
    queryFn: () => listAgents({ limit: 200, orderBy: 'last_run_completion', order: 'desc', showHiddenAgents: true }),
    enabled: agentIds.length > 0,
    staleTime: 30_000,
  })
  return new Map(data.map(({ id, name }) => [id, name]))
}
