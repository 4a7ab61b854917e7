import { useEffect, useState } from 'react'

/** Milliseconds without a key before a text is reported. */
const PAUSE = 250

/** The text of a field while the user types: it is reported by `onChange` when the typing pauses. */
export function usePaused(
  value: string,
  onChange: (value: string) => void,
): [text: string, set: (text: string) => void] {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onChange(text), PAUSE)
    return () => clearTimeout(timer)
  }, [text, value, onChange])
  return [text, setText]
}
