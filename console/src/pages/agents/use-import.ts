import { toast } from 'sonner'
import { importAgents } from '../../api/generated.ts'
import { useAction } from '../../api/use-action.ts'

/** Imports an agent file. Warnings of the server are shown; `onDone` gets the ids of the new agents. */
export const useImport = (onDone: (agentIds: string[]) => void) =>
  useAction((file: File) => importAgents({ file }), {
    changes: [['agents'], ['tags']],
    onSuccess: ({ agent_ids, warnings = [] }) => {
      for (const warning of warnings) toast.warning(warning)
      toast.success(agent_ids.length === 1 ? 'Imported an agent' : `Imported ${agent_ids.length} agents`)
      onDone(agent_ids)
    },
  })
