import { SearchIcon } from 'lucide-react'
import { cn } from './class-names.ts'
import { Input } from './ui/input.tsx'
import { usePaused } from './use-paused.ts'

interface Props {
  label: string
  value: string
  onChange: (value: string) => void
  className?: string
}

/** A search field that reports its text when the typing pauses, or at Enter. */
export function SearchBox({ label, value, onChange, className }: Props) {
  const [text, setText] = usePaused(value, onChange)
  return (
    <div className={cn('relative min-w-40 flex-1 sm:max-w-80', className)}>
      <SearchIcon className="-translate-y-1/2 pointer-events-none absolute top-1/2 left-2.5 size-4 text-muted-foreground" />
      <Input
        type="search"
        aria-label={label}
        placeholder={label}
        className="pl-8"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && onChange(text)}
      />
    </div>
  )
}
