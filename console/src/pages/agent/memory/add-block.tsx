import { PlusIcon } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { attachBlockToAgent, createBlock, deleteBlock } from '../../../api/generated.ts'
import { useAction } from '../../../api/use-action.ts'
import { Button } from '../../../components/ui/button.tsx'
import { Input } from '../../../components/ui/input.tsx'

async function add(agentId: string, label: string) {
  const { id } = await createBlock({ label, value: '' })
  try {
    await attachBlockToAgent(agentId, id!)
  } catch (error) {
    // The agent has a block of this label: the new one would belong to nobody.
    await deleteBlock(id!)
    throw error
  }
}

/** Gives the agent a new, empty block. */
export function AddBlock({ agentId }: { agentId: string }) {
  const [label, setLabel] = useState('')
  const create = useAction((name: string) => add(agentId, name), {
    changes: [['agent', agentId], ['blocks']],
    onSuccess: () => setLabel(''),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.run(label.trim())
  }
  return (
    <form onSubmit={submit} className="flex gap-2">
      <Input
        aria-label="Label of the new block"
        placeholder="Label of a new block"
        value={label}
        onChange={({ target }) => setLabel(target.value)}
      />
      <Button type="submit" disabled={label.trim() === '' || create.pending}>
        <PlusIcon /> Add a block
      </Button>
    </form>
  )
}
