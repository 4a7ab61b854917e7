import { useQuery } from '@tanstack/react-query'
import { listConversations, listGroups, listSchedules, retrieveAgent, retrieveContext } from '../../api/generated.ts'
import { formatNumber } from '../../components/quantities.ts'
import { Loaded } from '../../components/states.tsx'

const MANY = 100

async function readWhatGoes(agentId: string) {
  const [agent, context, conversations, schedule, groups] = await Promise.all([
    retrieveAgent(agentId, { include: ['agent.blocks', 'agent.sources'] }),
    retrieveContext(agentId),
    listConversations({ agentId, limit: MANY }),
    listSchedules(agentId, { limit: MANY }),
    listGroups({ limit: MANY, showHiddenGroups: true }),
  ])
  const managed = groups.filter(({ manager_agent_id }) => manager_agent_id === agentId)
  return { agent, messages: context.num_recall_memory, conversations, schedules: schedule.scheduled_messages, managed }
}

const count = (number: number, one: string, many = `${one}s`) =>
  `${formatNumber(number)}${number === MANY ? ' or more' : ''} ${number === 1 ? one : many}`

/** Lists what is deleted together with an agent, and what stays. */
export function DeletedWithAgent({ agentId }: { agentId: string }) {
  const query = useQuery({ queryKey: ['agent', agentId, 'deletion'], queryFn: () => readWhatGoes(agentId) })
  return (
    <Loaded query={query}>
      {({ agent, messages, conversations, schedules, managed }) => (
        <>
          <p>This can’t be undone. With the agent go</p>
          <ul className="my-2 list-disc pl-5">
            <li>{count(messages, 'message')}, and the agent’s runs</li>
            {conversations.length > 0 && <li>{count(conversations.length, 'conversation')}</li>}
            {schedules.length > 0 && <li>{count(schedules.length, 'scheduled message')}</li>}
            {managed.length > 0 && <li>{count(managed.length, 'group')} that the agent manages</li>}
          </ul>
          <p>
            {agent.blocks.length > 0
              ? `Its ${count(agent.blocks.length, 'memory block')} (${agent.blocks.map(({ label }) => label).join(', ')}), tools, archives and folders stay.`
              : 'Tools, archives and folders stay.'}
          </p>
        </>
      )}
    </Loaded>
  )
}
