import { UnlinkIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../../components/ui/button.tsx'

interface Props<Item> {
  items: Item[]
  none: string
  detail?: (item: Item) => ReactNode
  onDetach: (id: string) => void
}

/** Resources that are attached to the agent, each with a button that detaches it. */
export function AttachedList<Item extends { id: string; name: string }>({
  items,
  none,
  detail,
  onDetach,
}: Props<Item>) {
  if (items.length === 0) return <p className="text-muted-foreground">{none}</p>
  return (
    <ul className="divide-y">
      {items.map((item) => (
        <li key={item.id} className="flex items-center gap-2 py-1.5">
          <div className="min-w-0 flex-1">
            <p className="truncate font-medium">{item.name}</p>
            <p className="truncate text-muted-foreground text-xs">{detail?.(item)}</p>
          </div>
          <Button variant="ghost" size="iconSmall" aria-label={`Detach ${item.name}`} onClick={() => onDetach(item.id)}>
            <UnlinkIcon />
          </Button>
        </li>
      ))}
    </ul>
  )
}
