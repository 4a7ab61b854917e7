import { Input } from '../../components/ui/input.tsx'
import { useFilter } from '../../components/use-filter.ts'

/** A bound of the time, in the zone of the browser. */
export function TimeFilter({ name, label }: { name: string; label: string }) {
  const [value, set] = useFilter(name)
  return (
    <label htmlFor={name} className="flex items-center gap-1.5 text-muted-foreground text-xs">
      {label}
      <Input
        id={name}
        type="datetime-local"
        value={value}
        onChange={({ target }) => set(target.value)}
        className="w-auto"
      />
    </label>
  )
}
