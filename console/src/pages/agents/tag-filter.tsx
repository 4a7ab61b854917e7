import { useQuery } from '@tanstack/react-query'
import { TagIcon } from 'lucide-react'
import { useState } from 'react'
import { listTags } from '../../api/generated.ts'
import { Button } from '../../components/ui/button.tsx'
import { Checkbox } from '../../components/ui/checkbox.tsx'
import { Input } from '../../components/ui/input.tsx'
import { Popover } from '../../components/ui/popover.tsx'
import { useFilter } from '../../components/use-filter.ts'

/** Chooses tags: agents with one of them, or with all of them. Names are stored percent-encoded, so that commas are data. */
export function TagFilter() {
  const [search, setSearch] = useState('')
  const [stored, setStored] = useFilter('tags')
  const [all, setAll] = useFilter('all')
  const { data: found = [] } = useQuery({
    queryKey: ['tags', search],
    queryFn: () => listTags({ limit: 50, ...(search && { queryText: search }) }),
  })
  const chosen = stored ? stored.split(',').map(decodeURIComponent) : []
  const toggle = (tag: string) => {
    const next = chosen.includes(tag) ? chosen.filter((one) => one !== tag) : [...chosen, tag]
    setStored(next.map(encodeURIComponent).join(','))
  }
  return (
    <Popover
      trigger={
        <Button>
          <TagIcon /> {chosen.length === 0 ? 'Tags' : chosen.join(all ? ' and ' : ' or ')}
        </Button>
      }
    >
      <div className="border-b p-2">
        <Input
          aria-label="Find a tag"
          placeholder="Find a tag"
          value={search}
          onChange={(e) => setSearch(e.target.value)}
        />
      </div>
      <ul className="max-h-64 overflow-y-auto p-1">
        {[...new Set([...chosen, ...found])].map((tag) => (
          <li key={tag}>
            {/* biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is the control */}
            <label className="flex items-center gap-2 rounded px-2 py-1.5 hover:bg-muted">
              <Checkbox checked={chosen.includes(tag)} onCheckedChange={() => toggle(tag)} />
              <span className="truncate">{tag}</span>
            </label>
          </li>
        ))}
      </ul>
      <div className="border-t p-1">
        {/* biome-ignore lint/a11y/noLabelWithoutControl: the checkbox is the control */}
        <label className="flex items-center gap-2 px-2 py-1.5">
          <Checkbox checked={all === 'true'} onCheckedChange={(checked) => setAll(checked === true ? 'true' : '')} />
          All of these tags
        </label>
      </div>
    </Popover>
  )
}
