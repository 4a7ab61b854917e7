import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { retrieveAgent } from '../../api/generated.ts'
import { Loaded } from '../../components/states.tsx'
import { Tags } from '../../components/tags.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { useFilter } from '../../components/use-filter.ts'
import { Page } from '../../layout/page.tsx'
import { AgentMenu } from '../agents/agent-menu.tsx'
import { AgentTabs } from './agent-tabs.tsx'
import { ConversationSelect } from './chat/conversation-select.tsx'

/** One agent: the conversation, and beside it everything that the agent is made of. */
export function AgentPage() {
  const { agentId } = useParams({ from: '/agents/$agentId' })
  const [conversation] = useFilter('conversation')
  const navigate = useNavigate()
  const agent = useQuery({
    queryKey: ['agent', agentId, 'agent'],
    queryFn: () => retrieveAgent(agentId, { include: ['agent.tags', 'agent.tools'] }),
  })
  return (
    <Loaded query={agent}>
      {(agent) => (
        <Page
          title={agent.name}
          detail={
            <>
              <Badge className="hidden sm:inline-flex">{agent.model}</Badge>
              <span className="hidden md:block">
                <Tags tags={agent.tags} />
              </span>
            </>
          }
          actions={
            <>
              <ConversationSelect agentId={agentId} />
              <AgentMenu agent={agent} onDeleted={() => void navigate({ to: '/agents' })} />
            </>
          }
        >
          <AgentTabs agent={agent} conversationId={conversation || undefined} />
        </Page>
      )}
    </Loaded>
  )
}
