import { useQuery } from '@tanstack/react-query'
import { type BlockVersion, listUsers } from '../../api/generated.ts'
import { ResourceLink } from '../resource-link.tsx'
import { useAgentNames } from '../use-agent-names.ts'

/** The names of users by id. A key that may not list users sees their ids. */
function useUserNames(): ReadonlyMap<string, string> {
  const { data = [] } = useQuery({
    queryKey: ['users', 'names'],
    queryFn: () => listUsers({ limit: 200 }),
    staleTime: 60_000,
  })
  return new Map(data.map(({ id, name }) => [id, name]))
}

function Agent({ id, runId }: { id: string; runId: string | undefined }) {
  const name = useAgentNames([id]).get(id) ?? id
  return (
    <>
      the agent{' '}
      <ResourceLink to="/agents/$agentId" params={{ agentId: id }}>
        {name}
      </ResourceLink>
      {runId && (
        <>
          {' in '}
          <ResourceLink to="/runs/$runId" params={{ runId }}>
            its run
          </ResourceLink>
        </>
      )}
    </>
  )
}

function User({ id }: { id: string }) {
  return <>the user {useUserNames().get(id) ?? id}</>
}

/** Who made a change: an agent, with its run, or a user. */
export function Author({ change }: { change: Pick<BlockVersion, 'agent_id' | 'run_id' | 'user_id' | 'api_key_id'> }) {
  const { agent_id, run_id, user_id, api_key_id } = change
  const author = agent_id ? (
    <Agent id={agent_id} runId={run_id} />
  ) : user_id ? (
    <User id={user_id} />
  ) : (
    (api_key_id ?? 'the server')
  )
  return <span className="wrap-anywhere">by {author}</span>
}
