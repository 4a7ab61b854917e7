import { useId } from 'react'
import { usePaused } from '../use-paused.ts'
import { Input } from './input.tsx'

interface Props {
  label: string
  /** A local time such as `2026-11-23T08:30`; empty for none. */
  value: string
  onChange: (value: string) => void
}

/** A date and a time of day in a row of filters, chosen by the browser's own calendar. */
export function TimeField({ label, value, onChange }: Props) {
  const id = useId()
  const [text, setText] = usePaused(value, onChange)
  return (
    <div className="flex items-center gap-1.5">
      <label htmlFor={id} className="text-muted-foreground text-sm">
        {label}
      </label>
      <Input
        id={id}
        type="datetime-local"
        className="w-auto"
        max="9999-12-31T23:59"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </div>
  )
}
