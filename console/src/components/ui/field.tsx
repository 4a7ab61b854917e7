import { type ReactNode, useId } from 'react'

interface Props {
  label: string
  description?: ReactNode
  error?: string | undefined
  /** Renders the control with the id that the label names. */
  children: (control: { id: string; 'aria-describedby': string; 'aria-invalid': boolean }) => ReactNode
}

/** A labelled control of a form, with its description and its error. */
export function Field({ label, description, error, children }: Props) {
  const id = useId()
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {children({ id, 'aria-describedby': `${id}-hint`, 'aria-invalid': error !== undefined })}
      <div id={`${id}-hint`} className="text-muted-foreground text-xs empty:hidden">
        {error ? <span className="text-destructive">{error}</span> : description}
      </div>
    </div>
  )
}
