import { useQuery } from '@tanstack/react-query'
import { attachToolToAgent, listTools, listToolsOfAgent } from '../../../api/generated.ts'
import { useAction } from '../../../api/use-action.ts'
import { PickMenu } from '../../../components/pick-menu.tsx'
import { EmptyState, Loaded } from '../../../components/states.tsx'
import type { TabProps } from '../tab-props.ts'
import { ToolRow } from './tool-row.tsx'

/** The tools of an agent: attached, detached, made to wait for approval, and tried. */
export function ToolsTab({ agent }: TabProps) {
  const tools = useQuery({
    queryKey: ['agent', agent.id, 'tools'],
    queryFn: () => listToolsOfAgent(agent.id, { limit: 200 }),
  })
  const attach = useAction((toolId: string) => attachToolToAgent(agent.id, toolId), {
    changes: [['agent', agent.id]],
    done: 'Attached the tool',
  })
  return (
    <Loaded query={tools}>
      {(tools) => (
        <div className="grid gap-3">
          <PickMenu
            label="Attach a tool"
            queryKey="tools"
            without={tools.map(({ id }) => id)}
            search={(text) => listTools({ limit: 50, ...(text && { search: text }) })}
            describe={({ description }) => description}
            onPick={attach.run}
          />
          {tools.length === 0 && <EmptyState title="No tools">The agent can only talk.</EmptyState>}
          <ul className="grid gap-1.5">
            {tools.map((tool) => (
              <ToolRow key={tool.id} agent={agent} tool={tool} />
            ))}
          </ul>
        </div>
      )}
    </Loaded>
  )
}
