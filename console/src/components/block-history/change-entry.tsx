import type { ReactNode } from 'react'
import type { Block, BlockVersion } from '../../api/generated.ts'
import { Time } from '../time.tsx'
import { Badge } from '../ui/badge.tsx'
import { Author } from './author.tsx'
import { Reason } from './reason.tsx'
import { TextDiff } from './text-diff.tsx'
import type { Change } from './use-block-history.ts'

const OPERATIONS: Record<BlockVersion['operation'], string> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  link: 'identity linked',
  unlink: 'identity unlinked',
}

/** The settings that differ, apart from the value. */
function changedSettings(former: Block, block: Block): string[] {
  const names = Object.keys({ ...former, ...block }) as (keyof Block)[]
  return names.filter(
    (name) => !/^value$|_by_id$/.test(name) && JSON.stringify(former[name]) !== JSON.stringify(block[name]),
  )
}

/** One change of a block: when, by whom, and what it made of the value. `children`: what can be done about it. */
export function ChangeEntry({ change: { made, former }, children }: { change: Change; children?: ReactNode }) {
  const { version, operation, created_at, block, run_id, tool_call_id } = made
  // The history of an old block may begin after its creation: its first version is compared with itself.
  const before = former?.block.value ?? (operation === 'create' ? '' : block.value)
  const settings = former ? changedSettings(former.block, block) : []
  return (
    <li aria-label={`Version ${version}`} className="grid gap-1.5 border-l-2 pb-1 pl-3">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-muted-foreground text-xs">
        <span className="font-medium text-foreground tabular-nums">Version {version}</span>
        <Badge>{OPERATIONS[operation]}</Badge>
        <Author change={made} />
        <Time value={created_at} />
        <span className="ml-auto">{children}</span>
      </div>
      {before === block.value && block.value === '' ? (
        <p className="text-muted-foreground">empty</p>
      ) : (
        <TextDiff before={before} after={block.value} />
      )}
      {settings.length > 0 && (
        <p className="text-muted-foreground text-xs">
          Changed settings: <span className="font-mono">{settings.join(', ')}</span>
        </p>
      )}
      {run_id && tool_call_id && <Reason runId={run_id} callId={tool_call_id} />}
    </li>
  )
}
