import { type FormEvent, type ReactNode, useState } from 'react'
import { problemOf } from '../api/problem.ts'
import { Button } from './ui/button.tsx'
import { Dialog, DialogActions } from './ui/dialog.tsx'
import { Field } from './ui/field.tsx'
import { Input, NativeSelect, Textarea } from './ui/input.tsx'

/** A field of a short form. */
export interface FormField {
  name: string
  label: string
  description?: string
  /** What stands there at first. */
  value?: string
  optional?: boolean
  kind?: 'text' | 'long' | 'password' | 'date'
  /** The values to choose from. */
  options?: readonly string[]
}

interface Props {
  /** The word on the button that opens the form. */
  open: ReactNode
  title: string
  fields: readonly FormField[]
  /** The word on the button that sends the form. */
  action: string
  /** Carries the form out; an error is shown in it. Fields without a text are left out. */
  submit: (values: Record<string, string>) => Promise<unknown>
}

function Control({ field, control }: { field: FormField; control: object }) {
  const { name, kind, options, optional, value } = field
  const shared = { ...control, name, required: !optional, defaultValue: value }
  if (options)
    return (
      <NativeSelect {...shared}>
        {optional && <option value="" />}
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </NativeSelect>
    )
  if (kind === 'long') return <Textarea {...shared} />
  return <Input {...shared} type={kind ?? 'text'} autoComplete="off" />
}

/** A button that opens a short form. */
export function FormDialog({ open, title, fields, action, submit }: Props) {
  const [shown, setShown] = useState(false)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ReturnType<typeof problemOf>>()
  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const entries = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)] as const)
    setBusy(true)
    try {
      await submit(Object.fromEntries(entries.filter(([, value]) => value !== '')))
      setShown(false)
      setProblem(undefined)
    } catch (error) {
      setProblem(problemOf(error))
    }
    setBusy(false)
  }
  return (
    <>
      <Button onClick={() => setShown(true)}>{open}</Button>
      <Dialog open={shown} onOpenChange={setShown} title={title}>
        <form onSubmit={send} className="grid gap-3">
          {fields.map((field) => (
            <Field
              key={field.name}
              label={field.label}
              description={field.description}
              error={problem?.errors.find((error) => error.field === field.name)?.message}
            >
              {(control) => <Control field={field} control={control} />}
            </Field>
          ))}
          {problem && (
            <p role="alert" className="text-destructive">
              {problem.message}
            </p>
          )}
          <DialogActions>
            <Button onClick={() => setShown(false)}>Cancel</Button>
            <Button type="submit" variant="primary" disabled={busy}>
              {action}
            </Button>
          </DialogActions>
        </form>
      </Dialog>
    </>
  )
}
