import withTheme from '@rjsf/core/lib/withTheme.js'
import type { SchemaFormProps } from './form-props.ts'
import { validator } from './schema-validator.ts'
import { templates } from './templates.tsx'
import { widgets } from './widgets.tsx'

const Form = withTheme({ widgets, templates })

/** react-jsonschema-form in the console's components. The server validates: the form only guides. */
export function RjsfForm({ schema, value, onChange, uiSchema, name = 'form' }: SchemaFormProps) {
  return (
    <Form
      tagName="div"
      schema={schema}
      uiSchema={{ 'ui:submitButtonOptions': { norender: true }, ...uiSchema }}
      formData={value}
      validator={validator}
      idPrefix={name}
      noHtml5Validate
      showErrorList={false}
      experimental_defaultFormStateBehavior={{ emptyObjectFields: 'skipDefaults' }}
      onChange={({ formData }) => onChange(formData)}
    />
  )
}
