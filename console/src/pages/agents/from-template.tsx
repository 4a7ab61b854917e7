import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { createAgentsFromTemplateInProject, listTemplates } from '../../api/generated.ts'
import { useAction } from '../../api/use-action.ts'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { Button } from '../../components/ui/button.tsx'
import { DialogActions } from '../../components/ui/dialog.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Input, NativeSelect } from '../../components/ui/input.tsx'
import { TemplateVariables } from './template-variables.tsx'

/** Creates an agent from the latest version of a template, with values for the template's variables. */
export function FromTemplate({ onCreated }: { onCreated: (agentId: string) => void }) {
  const templates = useQuery({ queryKey: ['templates'], queryFn: () => listTemplates({ limit: 100 }) })
  const [chosen, setChosen] = useState('')
  const [name, setName] = useState('')
  const [variables, setVariables] = useState<Record<string, string>>({})
  const all = templates.data?.templates ?? []
  const template = all.find(({ id }) => id === chosen) ?? all[0]
  const { run, pending } = useAction(
    () =>
      createAgentsFromTemplateInProject(template!.project_id, `${template!.name}:latest`, {
        ...(name && { agent_name: name }),
        memory_variables: variables,
      }),
    { changes: [['agents'], ['tags']], onSuccess: ({ agent_ids: [first] }) => first && onCreated(first) },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    run(undefined)
  }
  return (
    <Loaded query={templates}>
      {() =>
        template ? (
          <form onSubmit={submit} className="grid gap-4">
            <Field label="Template">
              {(control) => (
                <NativeSelect {...control} value={template.id} onChange={({ target }) => setChosen(target.value)}>
                  {all.map(({ id, name, latest_version }) => (
                    <option key={id} value={id}>
                      {name} (version {latest_version})
                    </option>
                  ))}
                </NativeSelect>
              )}
            </Field>
            <Field label="Name" description="The template’s name if this stays empty.">
              {(control) => <Input {...control} value={name} onChange={({ target }) => setName(target.value)} />}
            </Field>
            <TemplateVariables template={template} values={variables} onChange={setVariables} />
            <DialogActions>
              <Button type="submit" variant="primary" disabled={pending}>
                Create
              </Button>
            </DialogActions>
          </form>
        ) : (
          <EmptyState title="No templates yet">A template is made from an agent, over the API.</EmptyState>
        )
      }
    </Loaded>
  )
}
