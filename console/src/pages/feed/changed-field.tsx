import type { Change } from '../../api/generated.ts'
import { TextDiff } from '../../components/block-history/text-diff.tsx'

const textOf = (value: unknown) =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 1)

/** A field that changed: the words that are new, and those that are gone. */
export function ChangedField({ field: { name, before, after, truncated } }: { field: Change['fields'][number] }) {
  return (
    <div className="grid gap-x-3 sm:grid-cols-[10rem_1fr]">
      <dt className="wrap-anywhere font-mono text-muted-foreground text-xs leading-5">{name}</dt>
      <dd className="min-w-0">
        <TextDiff before={textOf(before)} after={textOf(after)} />
        {truncated && <p className="text-muted-foreground text-xs">Only the beginning of the value is shown.</p>}
      </dd>
    </div>
  )
}
