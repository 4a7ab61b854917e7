import { useQueryClient } from '@tanstack/react-query'
import { toast } from 'sonner'
import { restoreBlock } from '../../api/generated.ts'
import { problemOf, reportError } from '../../api/problem.ts'
import { useAction } from '../../api/use-action.ts'

/** Sets a block back to a version, if `current` is still its version; else its history is loaded again, and a toast says so. */
export function useRestore(blockId: string, current: number) {
  const client = useQueryClient()
  return useAction((version: number) => restoreBlock(blockId, { version }, { ifMatch: `"${current}"` }), {
    changes: [['blocks'], ['agent']],
    done: 'Restored',
    onError: (error) => {
      if (problemOf(error).status !== 412) return reportError(error)
      // Not the lists of blocks: one with a filter may lose the block, and with it the history that is open.
      for (const queryKey of [['blocks', blockId], ['agent']]) void client.invalidateQueries({ queryKey })
      toast.warning('The block has changed meanwhile. Nothing was restored; here is its history as of now.')
    },
  })
}
