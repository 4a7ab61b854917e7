import { DownloadIcon, EllipsisIcon, Trash2Icon } from 'lucide-react'
import { type Agent, deleteAgent, exportAgent } from '../../api/generated.ts'
import { useAction } from '../../api/use-action.ts'
import { useConfirm } from '../../components/confirm.tsx'
import { downloadJson } from '../../components/download.ts'
import { Button } from '../../components/ui/button.tsx'
import { Menu, MenuItem } from '../../components/ui/menu.tsx'
import { DeletedWithAgent } from './deleted-with-agent.tsx'

/** Exports or deletes an agent. */
export function AgentMenu({ agent, onDeleted }: { agent: Agent; onDeleted?: () => void }) {
  const confirm = useConfirm()
  const save = useAction(async () => downloadJson(`${agent.name}.af`, await exportAgent(agent.id)))
  const remove = useAction(() => deleteAgent(agent.id), {
    changes: [['agents']],
    done: `Deleted ${agent.name}`,
    ...(onDeleted && { onSuccess: onDeleted }),
  })
  const ask = async () => {
    const agreed = await confirm({
      title: `Delete ${agent.name}?`,
      body: <DeletedWithAgent agentId={agent.id} />,
      action: 'Delete the agent',
    })
    if (agreed) remove.run(undefined)
  }
  return (
    <Menu
      trigger={
        <Button variant="ghost" size="iconSmall" aria-label={`Actions for ${agent.name}`} disabled={remove.pending}>
          <EllipsisIcon />
        </Button>
      }
    >
      <MenuItem onSelect={() => save.run(undefined)}>
        <DownloadIcon /> Export (.af)
      </MenuItem>
      <MenuItem destructive onSelect={() => void ask()}>
        <Trash2Icon /> Delete…
      </MenuItem>
    </Menu>
  )
}
