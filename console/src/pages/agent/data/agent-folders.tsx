import { useQuery } from '@tanstack/react-query'
import { attachFolderToAgent, detachFolderFromAgent, listFolders, listFoldersOfAgent } from '../../../api/generated.ts'
import { useAction } from '../../../api/use-action.ts'
import { PickMenu } from '../../../components/pick-menu.tsx'
import { Loaded } from '../../../components/states.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { AttachedList } from './attached-list.tsx'

/** The folders of an agent. */
export function AgentFolders({ agentId }: { agentId: string }) {
  const key = ['agent', agentId, 'folders']
  const folders = useQuery({ queryKey: key, queryFn: () => listFoldersOfAgent(agentId, { limit: 200 }) })
  const attach = useAction((id: string) => attachFolderToAgent(agentId, id), { changes: [['agent', agentId]] })
  const detach = useAction((id: string) => detachFolderFromAgent(agentId, id), { changes: [['agent', agentId]] })
  return (
    <Card
      title="Folders"
      actions={
        <PickMenu
          label="Attach"
          queryKey="folders"
          without={folders.data?.map(({ id }) => id) ?? []}
          search={(text) => listFolders({ limit: 50, ...(text && { name: text }) })}
          describe={({ description }) => description ?? undefined}
          onPick={attach.run}
        />
      }
    >
      <Loaded query={folders}>
        {(items) => (
          <AttachedList
            items={items}
            none="None: the agent has no files to read."
            detail={({ description }) => description}
            onDetach={detach.run}
          />
        )}
      </Loaded>
    </Card>
  )
}
