import type { RegistryWidgetsType, WidgetProps } from '@rjsf/utils'
import { Checkbox } from '../ui/checkbox.tsx'
import { NativeSelect, Textarea } from '../ui/input.tsx'

function TextareaWidget({ id, value, onChange, options, disabled, readonly }: WidgetProps) {
  return (
    <Textarea
      id={id}
      value={value ?? ''}
      disabled={disabled || readonly}
      className="max-h-72"
      onChange={({ target }) => onChange(target.value === '' ? options.emptyValue : target.value)}
    />
  )
}

function SelectWidget({ id, value, onChange, options, required, disabled, readonly, label }: WidgetProps) {
  const choices = options.enumOptions ?? []
  const chosen = choices.findIndex((choice) => choice.value === value)
  return (
    <NativeSelect
      id={id}
      aria-label={label}
      value={chosen}
      disabled={disabled || readonly}
      onChange={({ target }) => onChange(choices[Number(target.value)]?.value)}
    >
      {(!required || chosen < 0) && <option value={-1}>–</option>}
      {choices.map((choice, index) => (
        <option key={String(choice.value)} value={index}>
          {choice.label}
        </option>
      ))}
    </NativeSelect>
  )
}

function CheckboxWidget({ id, value, onChange, label, disabled, readonly }: WidgetProps) {
  return (
    <div className="flex items-center gap-2">
      <Checkbox
        id={id}
        checked={value === true}
        disabled={disabled || readonly}
        onCheckedChange={(checked) => onChange(checked === true)}
      />
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
    </div>
  )
}

/** The controls of values, by the names that react-jsonschema-form gives them; BaseInput serves the others. */
export const widgets: RegistryWidgetsType = { TextareaWidget, SelectWidget, CheckboxWidget }
