import { useQuery } from '@tanstack/react-query'
import { PlusIcon } from 'lucide-react'
import { createConversation, listConversations } from '../../../api/generated.ts'
import { useAction } from '../../../api/use-action.ts'
import { relativeTime } from '../../../components/time.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { SelectField } from '../../../components/ui/select-field.tsx'
import { useFilter } from '../../../components/use-filter.ts'

/** Chooses one of the agent's conversations, or begins a new one. */
export function ConversationSelect({ agentId }: { agentId: string }) {
  const [chosen, choose] = useFilter('conversation')
  const key = ['agent', agentId, 'conversations']
  const { data = [] } = useQuery({
    queryKey: key,
    queryFn: () => listConversations({ agentId, order: 'desc', limit: 200 }),
  })
  const create = useAction(() => createConversation(agentId, {}), { changes: [key], onSuccess: ({ id }) => choose(id) })
  const choices = data.map(
    ({ id, summary, created_at }) => [id, summary || `Conversation, ${relativeTime(new Date(created_at))}`] as const,
  )
  return (
    <div className="flex min-w-0 gap-1">
      <SelectField
        label="Conversation"
        className="max-w-60"
        value={chosen}
        onChange={choose}
        choices={[['', 'Main conversation'], ...choices]}
      />
      <Button size="icon" aria-label="New conversation" onClick={() => create.run(undefined)}>
        <PlusIcon />
      </Button>
    </div>
  )
}
