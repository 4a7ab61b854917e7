import { Link } from '@tanstack/react-router'
import type { Change } from '../../api/generated.ts'
import { Author } from '../../components/block-history/author.tsx'
import { Reason } from '../../components/block-history/reason.tsx'
import { Fold } from '../../components/fold.tsx'
import { Time } from '../../components/time.tsx'
import { Badge, type Tone } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { ChangedField } from './changed-field.tsx'
import { KINDS, type Kind } from './kinds.ts'

const OPERATIONS: Record<Change['operation'], readonly [word: string, tone: Tone]> = {
  create: ['created', 'success'],
  update: ['changed', 'accent'],
  delete: ['deleted', 'destructive'],
  link: ['attached to', 'accent'],
  unlink: ['detached from', 'accent'],
}

function Resource({ change: { kind, resource_id, resource_name, operation } }: { change: Change }) {
  const { word, path } = { path: undefined, ...KINDS[kind as Kind] }
  const name = resource_name ?? resource_id
  return (
    <span className="wrap-anywhere min-w-0">
      {word}{' '}
      {path && operation !== 'delete' ? (
        <Link to={`${path}${resource_id}` as string} className="font-medium hover:text-primary hover:underline">
          {name}
        </Link>
      ) : (
        <span className="font-medium">{name}</span>
      )}
    </span>
  )
}

const Ids = ({ label, ids }: { label: string; ids: readonly string[] }) =>
  ids.length > 0 && (
    <p className="wrap-anywhere text-xs">
      <span className="text-muted-foreground">{label}</span> <span className="font-mono">{ids.join(', ')}</span>
    </p>
  )

function Fields({ change: { fields, operation } }: { change: Change }) {
  if (fields.length === 0) return null
  const list = (
    <dl className="grid gap-1.5">
      {fields.map((field) => (
        <ChangedField key={field.name} field={field} />
      ))}
    </dl>
  )
  if (operation === 'update') return list
  return (
    <Fold summary={<span className="text-xs">{fields.length === 1 ? '1 field' : `${fields.length} fields`}</span>}>
      {list}
    </Fold>
  )
}

interface Props {
  change: Change
  /** Limits the list to changes of a resource, or by somebody. */
  only: (filter: 'resource' | 'actor', id: string) => void
}

/** One change: what happened to which resource, by whom, and when. */
export function ChangeEntry({ change, only }: Props) {
  const { operation, created_at, resource_id, request_id, run_id, tool_call_id, attached, detached } = change
  const actor = change.agent_id ?? change.user_id ?? change.api_key_id
  const [word, tone] = OPERATIONS[operation]
  return (
    <li aria-label={`${word} ${change.id}`} className="grid gap-2 rounded-lg border bg-card px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone={tone}>{word}</Badge>
        <Resource change={change} />
        <span className="text-muted-foreground text-xs">
          <Author change={change} />
        </span>
        <span className="text-muted-foreground text-xs" title={request_id && `Request ${request_id}`}>
          <Time value={created_at} />
        </span>
        <span className="ml-auto flex gap-1">
          <Button variant="ghost" size="small" onClick={() => only('resource', resource_id)}>
            Only this resource
          </Button>
          {actor && (
            <Button variant="ghost" size="small" onClick={() => only('actor', actor)}>
              Only this author
            </Button>
          )}
        </span>
      </div>
      <Fields change={change} />
      <Ids label="Attached" ids={attached} />
      <Ids label="Detached" ids={detached} />
      {run_id && tool_call_id && <Reason runId={run_id} callId={tool_call_id} />}
    </li>
  )
}
