import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Block, listAgentsOfBlock, modifyBlock } from '../../api/generated.ts'
import { useAction } from '../../api/use-action.ts'
import { formatNumber } from '../../components/quantities.ts'
import { ResourceLink } from '../../components/resource-link.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog, DialogActions } from '../../components/ui/dialog.tsx'
import { Textarea } from '../../components/ui/input.tsx'

/** The agents that have a block. */
function Holders({ blockId }: { blockId: string }) {
  const { data = [] } = useQuery({
    queryKey: ['blocks', blockId, 'agents'],
    queryFn: () => listAgentsOfBlock(blockId, { limit: 20 }),
  })
  if (data.length === 0) return <p className="text-muted-foreground">No agent has this block.</p>
  return (
    <ul aria-label="Agents with this block" className="flex flex-wrap gap-x-3">
      {data.map(({ id, name }) => (
        <li key={id}>
          <ResourceLink to="/agents/$agentId" params={{ agentId: id }}>
            {name}
          </ResourceLink>
        </li>
      ))}
    </ul>
  )
}

/** The label of a block, which opens its value and the agents that have it. */
export function EditBlock({ block }: { block: Block }) {
  const { id = '', label, limit, description } = block
  const [shown, setShown] = useState(false)
  const [value, setValue] = useState(block.value)
  const save = useAction(() => modifyBlock(id, { value }), {
    changes: [['blocks']],
    done: 'Saved',
    onSuccess: () => setShown(false),
  })
  const open = (shown: boolean) => {
    setValue(block.value)
    setShown(shown)
  }
  const length = [...value].length
  return (
    <>
      <Button variant="link" className="h-auto px-0 py-0" onClick={() => open(true)}>
        {label}
      </Button>
      <Dialog open={shown} onOpenChange={open} title={label ?? 'Block'} description={description}>
        <Textarea
          aria-label="Value"
          className="max-h-[50dvh]"
          value={value}
          onChange={({ target }) => setValue(target.value)}
        />
        <p className={`text-xs tabular-nums ${limit && length > limit ? 'text-destructive' : 'text-muted-foreground'}`}>
          {formatNumber(length)} of {formatNumber(limit)} characters
        </p>
        <Holders blockId={id} />
        <DialogActions>
          <Button
            variant="primary"
            disabled={save.pending || value === block.value}
            onClick={() => save.run(undefined)}
          >
            Save
          </Button>
        </DialogActions>
      </Dialog>
    </>
  )
}
