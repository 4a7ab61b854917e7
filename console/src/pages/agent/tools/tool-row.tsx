import { PlayIcon, UnlinkIcon } from 'lucide-react'
import { useState } from 'react'
import { type Agent, detachToolFromAgent, modifyApprovalForTool, type Tool } from '../../../api/generated.ts'
import { useAction } from '../../../api/use-action.ts'
import { Button } from '../../../components/ui/button.tsx'
import { Checkbox } from '../../../components/ui/checkbox.tsx'
import { TryTool } from './try-tool.tsx'

const needsApproval = (agent: Agent, tool: Tool) =>
  agent.tool_rules?.some((rule) => rule.type === 'requires_approval' && rule.tool_name === tool.name) ?? false

/** A tool of the agent, with whether its calls wait for an approval. */
export function ToolRow({ agent, tool }: { agent: Agent; tool: Tool }) {
  const [trying, setTrying] = useState(false)
  const changes = [['agent', agent.id]]
  const detach = useAction(() => detachToolFromAgent(agent.id, tool.id), { changes, done: `Detached ${tool.name}` })
  const approve = useAction(
    (requires: boolean) => modifyApprovalForTool(agent.id, tool.name!, { requires_approval: requires }),
    { changes },
  )
  return (
    <li className="rounded-md border bg-card px-3 py-2">
      <div className="flex items-center gap-1">
        <span className="min-w-0 flex-1 truncate font-medium font-mono text-[13px]">{tool.name}</span>
        <Button variant="ghost" size="iconSmall" aria-label={`Try ${tool.name}`} onClick={() => setTrying(true)}>
          <PlayIcon />
        </Button>
        <Button
          variant="ghost"
          size="iconSmall"
          aria-label={`Detach ${tool.name}`}
          disabled={detach.pending}
          onClick={() => detach.run(undefined)}
        >
          <UnlinkIcon />
        </Button>
      </div>
      {tool.description && <p className="line-clamp-2 text-muted-foreground text-xs">{tool.description}</p>}
      {/* biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is the control */}
      <label className="mt-1.5 flex items-center gap-2 text-xs">
        <Checkbox
          checked={needsApproval(agent, tool)}
          disabled={approve.pending}
          onCheckedChange={(checked) => approve.run(checked === true)}
        />
        Calls wait for an approval
      </label>
      {trying && <TryTool agentId={agent.id} tool={tool} onClose={() => setTrying(false)} />}
    </li>
  )
}
