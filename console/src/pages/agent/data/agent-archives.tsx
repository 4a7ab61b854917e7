import { useQuery } from '@tanstack/react-query'
import { attachArchiveToAgent, detachArchiveFromAgent, listArchives } from '../../../api/generated.ts'
import { useAction } from '../../../api/use-action.ts'
import { PickMenu } from '../../../components/pick-menu.tsx'
import { Loaded } from '../../../components/states.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { AttachedList } from './attached-list.tsx'

/** The newest archives whose name contains a text. */
const findArchives = async (text: string) =>
  (await listArchives({ limit: 200 })).filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))

/** The archives of an agent. */
export function AgentArchives({ agentId }: { agentId: string }) {
  const key = ['agent', agentId, 'archives']
  const archives = useQuery({ queryKey: key, queryFn: () => listArchives({ agentId, limit: 200 }) })
  const attach = useAction((id: string) => attachArchiveToAgent(agentId, id), { changes: [['agent', agentId]] })
  const detach = useAction((id: string) => detachArchiveFromAgent(agentId, id), { changes: [['agent', agentId]] })
  const attached = archives.data ?? []
  return (
    <Card
      title="Archives"
      actions={
        <PickMenu
          label="Attach"
          queryKey="archives"
          without={attached.map(({ id }) => id)}
          search={findArchives}
          describe={({ description }) => description}
          onPick={attach.run}
        />
      }
    >
      <Loaded query={archives}>
        {(items) => (
          <AttachedList
            items={items}
            none="None yet: the agent’s first passage makes one."
            detail={({ description }) => description}
            onDetach={detach.run}
          />
        )}
      </Loaded>
    </Card>
  )
}
