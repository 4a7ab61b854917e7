import type { RJSFSchema, UiSchema } from '@rjsf/utils'

export interface SchemaFormProps {
  /** The JSON schema of the value: the form has a control for each of its properties. */
  schema: RJSFSchema
  value: unknown
  onChange: (value: unknown) => void
  /** How properties are shown where the schema doesn't say it, such as `{ system: { 'ui:widget': 'textarea' } }`. */
  uiSchema?: UiSchema
  /** Begins the ids of the controls; needed where a page has two forms. */
  name?: string
}
