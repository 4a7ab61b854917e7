import { useQuery } from '@tanstack/react-query'
import { listModels } from '../api/generated.ts'
import { NativeSelect } from './ui/input.tsx'

interface Props {
  value: string
  onChange: (handle: string) => void
  /** The name of the choice of no model. */
  none?: string
  id?: string
}

/** The language models that the server has, by provider. */
export function ModelSelect({ value, onChange, none = 'The server’s default', id }: Props) {
  const { data: models = [] } = useQuery({ queryKey: ['models'], queryFn: () => listModels() })
  const providers = Object.entries(Object.groupBy(models, ({ provider_name }) => provider_name))
  const known = models.some(({ handle }) => handle === value)
  return (
    <NativeSelect id={id} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{none}</option>
      {value && !known && <option value={value}>{value}</option>}
      {providers.map(([provider, group]) => (
        <optgroup key={provider} label={provider}>
          {group?.map(({ handle, display_name }) => (
            <option key={handle} value={handle}>
              {display_name || handle}
            </option>
          ))}
        </optgroup>
      ))}
    </NativeSelect>
  )
}
