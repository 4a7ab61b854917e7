import { useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { PlusIcon } from 'lucide-react'
import { useState } from 'react'
import { Button } from './ui/button.tsx'
import { FIELD } from './ui/input.tsx'
import { Popover } from './ui/popover.tsx'

interface Props<Item> {
  label: string
  /** Names the list among what was read. */
  queryKey: string
  /** Ids of what can't be picked. */
  without: readonly (string | undefined)[]
  /** Finds items by a text; all without one. */
  search: (text: string) => Promise<Item[]>
  describe?: (item: Item) => string | undefined
  onPick: (id: string) => void
}

/** A button that opens a searched list of which one item is picked. */
export function PickMenu<Item extends { id: string; name?: string | undefined }>(props: Props<Item>) {
  const { label, queryKey, without, search, describe, onPick } = props
  const [open, setOpen] = useState(false)
  const [text, setText] = useState('')
  const { data = [] } = useQuery({ queryKey: [queryKey, 'pick', text], queryFn: () => search(text), enabled: open })
  const pick = (id: string) => {
    setOpen(false)
    onPick(id)
  }
  return (
    <Popover
      open={open}
      onOpenChange={setOpen}
      className="w-96 max-w-[92vw]"
      trigger={
        <Button className="justify-self-start">
          <PlusIcon /> {label}
        </Button>
      }
    >
      <Command shouldFilter={false} label={label} className="p-1">
        <Command.Input
          autoFocus
          placeholder="Search"
          value={text}
          onValueChange={setText}
          className={`${FIELD} mb-1 h-8`}
        />
        <Command.List className="max-h-72 overflow-y-auto">
          <Command.Empty className="p-3 text-muted-foreground">Nothing found</Command.Empty>
          {data
            .filter(({ id }) => !without.includes(id))
            .map((item) => (
              <Command.Item
                key={item.id}
                value={item.id}
                onSelect={pick}
                className="cursor-default rounded px-2 py-1.5 data-[selected=true]:bg-muted"
              >
                <p className="truncate font-medium">{item.name}</p>
                <p className="truncate text-muted-foreground text-xs">{describe?.(item)}</p>
              </Command.Item>
            ))}
        </Command.List>
      </Command>
    </Popover>
  )
}
