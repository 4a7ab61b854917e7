import type { TabProps } from '../tab-props.ts'
import { AgentArchives } from './agent-archives.tsx'
import { AgentFiles } from './agent-files.tsx'
import { AgentFolders } from './agent-folders.tsx'

/** What the agent can look up: its archives, its folders and their files. */
export function DataTab({ agent }: TabProps) {
  return (
    <div className="grid gap-3">
      <AgentArchives agentId={agent.id} />
      <AgentFolders agentId={agent.id} />
      <AgentFiles agentId={agent.id} />
    </div>
  )
}
