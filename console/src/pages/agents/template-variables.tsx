import { useQuery } from '@tanstack/react-query'
import { retrieveTemplateSnapshot, type Template } from '../../api/generated.ts'
import { Field } from '../../components/ui/field.tsx'
import { Input } from '../../components/ui/input.tsx'

interface Props {
  template: Template
  values: Record<string, string>
  onChange: (values: Record<string, string>) => void
}

/** A field for each variable in the blocks of a template. */
export function TemplateVariables({ template, values, onChange }: Props) {
  const { data } = useQuery({
    queryKey: ['templates', template.id, 'snapshot'],
    queryFn: () => retrieveTemplateSnapshot(template.project_id, `${template.name}:latest`),
  })
  const variables = data?.agents.flatMap(({ memoryVariables }) => memoryVariables.data) ?? []
  return variables.map(({ key: name, defaultValue }) => (
    <Field key={name} label={name}>
      {(control) => (
        <Input
          {...control}
          placeholder={defaultValue ?? ''}
          value={values[name] ?? ''}
          onChange={({ target }) => onChange({ ...values, [name]: target.value })}
        />
      )}
    </Field>
  ))
}
