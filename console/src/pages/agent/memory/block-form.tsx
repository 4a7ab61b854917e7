import { type FormEvent, useState } from 'react'
import { type Block, modifyBlock, retrieveBlock } from '../../../api/generated.ts'
import { problemOf, reportError } from '../../../api/problem.ts'
import { useAction } from '../../../api/use-action.ts'
import { type Versioned, withEtag } from '../../../api/with-etag.ts'
import { Button } from '../../../components/ui/button.tsx'
import { Textarea } from '../../../components/ui/input.tsx'
import { BlockConflict } from './block-conflict.tsx'
import { LimitMeter } from './limit-meter.tsx'

interface Props {
  agentId: string
  blockId: string
  read: Versioned<Block>
  onClose: () => void
}

/** Edits the value of a block. If somebody else changed the block meanwhile, both sides are shown and merged. */
export function BlockForm({ agentId, blockId, read, onClose }: Props) {
  const [value, setValue] = useState(read.data.value)
  const [base, setBase] = useState(read)
  const [theirs, setTheirs] = useState<Versioned<Block>>()
  const save = useAction((text: string) => modifyBlock(blockId, { value: text }, { ifMatch: base.etag }), {
    changes: [['agent', agentId], ['blocks']],
    done: 'Saved',
    onSuccess: onClose,
    onError: async (error) => {
      if (problemOf(error).status !== 412) return reportError(error)
      setTheirs(await withEtag((options) => retrieveBlock(blockId, {}, options)))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.run(value)
  }
  const settle = (merged: string, current: Versioned<Block>) => {
    setValue(merged)
    setBase(current)
    setTheirs(undefined)
  }
  return (
    <form onSubmit={submit} className="grid gap-2">
      <Textarea
        aria-label="Value of the block"
        autoFocus
        className="max-h-96 min-h-32"
        value={value}
        onChange={({ target }) => setValue(target.value)}
      />
      <LimitMeter value={value} limit={base.data.limit} />
      <div className="flex justify-end gap-2">
        <Button size="small" onClick={onClose}>
          Cancel
        </Button>
        <Button size="small" variant="primary" type="submit" disabled={save.pending || value === base.data.value}>
          Save
        </Button>
      </div>
      {theirs && (
        <BlockConflict
          theirs={theirs.data.value}
          mine={value}
          onMerged={(merged) => settle(merged, theirs)}
          onClose={() => setTheirs(undefined)}
        />
      )}
    </form>
  )
}
