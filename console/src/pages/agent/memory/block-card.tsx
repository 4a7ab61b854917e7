import { PencilIcon, UnlinkIcon } from 'lucide-react'
import { useState } from 'react'
import { type Block, detachBlockFromAgent } from '../../../api/generated.ts'
import { useAction } from '../../../api/use-action.ts'
import { BlockHistory } from '../../../components/block-history/block-history.tsx'
import { useConfirm } from '../../../components/confirm.tsx'
import { Badge } from '../../../components/ui/badge.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { BlockEditor } from './block-editor.tsx'
import { LimitMeter } from './limit-meter.tsx'

/** One memory block: its text, how much of its limit is used, and its editor. */
export function BlockCard({ agentId, block }: { agentId: string; block: Block }) {
  const [editing, setEditing] = useState(false)
  const confirm = useConfirm()
  const detach = useAction(() => detachBlockFromAgent(agentId, block.id!), {
    changes: [['agent', agentId]],
    done: `Detached ${block.label}`,
  })
  const ask = async () => {
    const title = `Detach ${block.label}?`
    const body = 'The agent no longer sees this block. The block itself stays, and can be attached again.'
    if (await confirm({ title, body, action: 'Detach' })) detach.run(undefined)
  }
  return (
    <Card
      aria-label={`Block ${block.label}`}
      title={
        <span className="flex items-center gap-2">
          <span className="font-mono text-[13px]">{block.label}</span>
          {block.read_only && <Badge tone="warning">read only</Badge>}
        </span>
      }
      actions={
        <>
          <BlockHistory block={block} />
          {!editing && (
            <Button
              variant="ghost"
              size="iconSmall"
              aria-label={`Edit ${block.label}`}
              onClick={() => setEditing(true)}
            >
              <PencilIcon />
            </Button>
          )}
          <Button variant="ghost" size="iconSmall" aria-label={`Detach ${block.label}`} onClick={() => void ask()}>
            <UnlinkIcon />
          </Button>
        </>
      }
    >
      {block.description && <p className="mb-2 text-muted-foreground text-xs">{block.description}</p>}
      {editing ? (
        <BlockEditor agentId={agentId} blockId={block.id!} onClose={() => setEditing(false)} />
      ) : (
        <>
          <p className="wrap-anywhere max-h-64 overflow-y-auto whitespace-pre-wrap">
            {block.value || <span className="text-muted-foreground">empty</span>}
          </p>
          <LimitMeter value={block.value} limit={block.limit} />
        </>
      )}
    </Card>
  )
}
