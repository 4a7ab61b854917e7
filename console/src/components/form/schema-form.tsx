import { lazy, Suspense } from 'react'
import { LoadingState } from '../states.tsx'
import type { SchemaFormProps } from './form-props.ts'

const Form = lazy(() => import('./rjsf-form.tsx').then(({ RjsfForm }) => ({ default: RjsfForm })))

/** A form made from a JSON schema. Put it into a form of yours, or beside a button of yours: it has none. */
export function SchemaForm(props: SchemaFormProps) {
  return (
    <Suspense fallback={<LoadingState />}>
      <Form {...props} />
    </Suspense>
  )
}
