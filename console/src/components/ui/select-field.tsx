import { NativeSelect } from './input.tsx'

interface Props {
  label: string
  value: string
  onChange: (value: string) => void
  /** Values and their names. */
  choices: readonly (readonly [value: string, name: string])[]
  className?: string
}

/** A list of choices in a row of filters; its label is for screen readers. */
export function SelectField({ label, value, onChange, choices, className = 'w-auto' }: Props) {
  return (
    <NativeSelect
      aria-label={label}
      value={value}
      className={className}
      onChange={({ target }) => onChange(target.value)}
    >
      {choices.map(([key, name]) => (
        <option key={key} value={key}>
          {name}
        </option>
      ))}
    </NativeSelect>
  )
}
