import { useQuery } from '@tanstack/react-query'
import { closeFileOfAgent, listFilesOfAgent, openFileOfAgent } from '../../../api/generated.ts'
import { useAction } from '../../../api/use-action.ts'
import { Loaded } from '../../../components/states.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Card } from '../../../components/ui/card.tsx'

/** The files in the agent's folders. An open file stands in the context of the agent. */
export function AgentFiles({ agentId }: { agentId: string }) {
  const files = useQuery({
    queryKey: ['agent', agentId, 'files'],
    queryFn: () => listFilesOfAgent(agentId, { limit: 200 }),
  })
  const toggle = useAction(
    async ({ file_id, is_open }: { file_id: string; is_open: boolean }) => {
      if (is_open) await closeFileOfAgent(agentId, file_id)
      else await openFileOfAgent(agentId, file_id)
    },
    { changes: [['agent', agentId]] },
  )
  return (
    <Loaded query={files}>
      {({ files }) =>
        files.length > 0 && (
          <Card title="Files">
            <ul className="divide-y">
              {files.map((file) => (
                <li key={file.id} className="flex items-center gap-2 py-1.5">
                  <div className="min-w-0 flex-1">
                    <p className="truncate font-medium">{file.file_name}</p>
                    <p className="truncate text-muted-foreground text-xs">{file.folder_name}</p>
                  </div>
                  <Button size="small" disabled={toggle.pending} onClick={() => toggle.run(file)}>
                    {file.is_open ? 'Close' : 'Open for the agent'}
                  </Button>
                </li>
              ))}
            </ul>
          </Card>
        )
      }
    </Loaded>
  )
}
