import { type FormEvent, useState } from 'react'
import { createAgent } from '../../api/generated.ts'
import { useAction } from '../../api/use-action.ts'
import { ModelSelect } from '../../components/model-select.tsx'
import { Button } from '../../components/ui/button.tsx'
import { DialogActions } from '../../components/ui/dialog.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Input, Textarea } from '../../components/ui/input.tsx'

const START = {
  name: '',
  model: '',
  description: '',
  persona: 'I am a helpful, truthful assistant with a memory of my own.',
  human: '',
  tags: '',
}

type Draft = typeof START

const tagsOf = (text: string) => [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '')

const create = ({ name, model, description, persona, human, tags }: Draft) =>
  createAgent({
    ...(name && { name }),
    ...(model && { model }),
    ...(description && { description }),
    tags: tagsOf(tags),
    memory_blocks: [
      { label: 'persona', value: persona },
      { label: 'human', value: human },
    ],
  })

/** Creates an agent from a name, a model and its first memory; everything can be changed later. */
export function NewAgent({ onCreated }: { onCreated: (agentId: string) => void }) {
  const [draft, setDraft] = useState(START)
  const { run, pending } = useAction(create, { changes: [['agents'], ['tags']], onSuccess: ({ id }) => onCreated(id) })
  const set = (field: keyof Draft) => (event: { target: { value: string } }) =>
    setDraft({ ...draft, [field]: event.target.value })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    run(draft)
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field label="Name" description="The server invents one if this stays empty.">
        {(control) => <Input {...control} autoFocus maxLength={255} value={draft.name} onChange={set('name')} />}
      </Field>
      <Field label="Model">
        {({ id }) => <ModelSelect id={id} value={draft.model} onChange={(model) => setDraft({ ...draft, model })} />}
      </Field>
      <Field
        label="Who the agent is"
        description="The memory block “persona”: the agent always sees it and may change it."
      >
        {(control) => <Textarea {...control} value={draft.persona} onChange={set('persona')} />}
      </Field>
      <Field label="Who it speaks with" description="The memory block “human”.">
        {(control) => <Textarea {...control} value={draft.human} onChange={set('human')} />}
      </Field>
      <Field label="Description">
        {(control) => <Input {...control} value={draft.description} onChange={set('description')} />}
      </Field>
      <Field label="Tags" description="Separated by commas.">
        {(control) => <Input {...control} value={draft.tags} onChange={set('tags')} />}
      </Field>
      <DialogActions>
        <Button type="submit" variant="primary" disabled={pending}>
          Create
        </Button>
      </DialogActions>
    </form>
  )
}
