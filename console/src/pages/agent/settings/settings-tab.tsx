import { useQuery } from '@tanstack/react-query'
import { retrieveAgent } from '../../../api/generated.ts'
import { useBodySchema } from '../../../api/openapi.ts'
import { withEtag } from '../../../api/with-etag.ts'
import { Loaded } from '../../../components/states.tsx'
import type { TabProps } from '../tab-props.ts'
import { SettingsForm } from './settings-form.tsx'

/** The settings of an agent, as a form and as JSON. */
export function SettingsTab({ agent }: TabProps) {
  const schema = useBodySchema('/v1/agents/{agent_id}', 'patch')
  const current = useQuery({
    queryKey: ['agent', agent.id, 'settings'],
    queryFn: () => withEtag((options) => retrieveAgent(agent.id, { include: ['agent.tags'] }, options)),
  })
  return (
    <Loaded query={schema}>
      {(schema) => (
        <Loaded query={current}>
          {(read) => <SettingsForm key={agent.id} agentId={agent.id} read={read} schema={schema} />}
        </Loaded>
      )}
    </Loaded>
  )
}
