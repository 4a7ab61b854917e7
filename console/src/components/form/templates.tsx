import {
  type ArrayFieldItemTemplateProps,
  type ArrayFieldTemplateProps,
  type BaseInputTemplateProps,
  canExpand,
  type FieldTemplateProps,
  getInputProps,
  type MultiSchemaFieldTemplateProps,
  type ObjectFieldTemplateProps,
} from '@rjsf/utils'
import type { ReactNode } from 'react'
import { Input } from '../ui/input.tsx'
import { ButtonTemplates } from './buttons.tsx'

function BaseInputTemplate({ id, value, onChange, schema, type, options, disabled, readonly }: BaseInputTemplateProps) {
  return (
    <Input
      id={id}
      {...getInputProps(schema, type, options)}
      value={value ?? ''}
      disabled={disabled || readonly}
      placeholder={schema.default === undefined ? undefined : String(schema.default)}
      onChange={({ target }) => onChange(target.value === '' ? options.emptyValue : target.value)}
    />
  )
}

function FieldTemplate({
  id,
  label,
  rawDescription,
  required,
  displayLabel,
  schema,
  hidden,
  children,
}: FieldTemplateProps) {
  if (hidden) return <div hidden>{children}</div>
  const labelled = displayLabel && schema.type !== 'boolean'
  return (
    <div className="grid gap-1">
      {labelled && (
        <label htmlFor={id} className="font-medium">
          {label}
          {required && <span className="text-destructive"> *</span>}
        </label>
      )}
      {children}
      {displayLabel && rawDescription && <p className="text-muted-foreground text-xs">{rawDescription}</p>}
    </div>
  )
}

function Group({
  title,
  description,
  children,
}: {
  title: string | undefined
  description?: ReactNode
  children: ReactNode
}) {
  if (!title) return <div className="grid gap-3">{children}</div>
  return (
    <fieldset className="grid gap-3 rounded-md border px-3 pt-1 pb-3">
      <legend className="px-1 font-medium">{title}</legend>
      {description && <p className="text-muted-foreground text-xs">{description}</p>}
      {children}
    </fieldset>
  )
}

function ObjectFieldTemplate(props: ObjectFieldTemplateProps) {
  const { title, properties, schema, uiSchema, formData, onAddProperty, fieldPathId, registry } = props
  const isRoot = fieldPathId.path.length === 0
  if ((schema.oneOf || schema.anyOf) && !schema.properties && properties.length === 0) return null
  return (
    <Group title={isRoot ? undefined : title}>
      {properties.map(({ content }) => content)}
      {canExpand(schema, uiSchema, formData) && (
        <ButtonTemplates.AddButton id={`${fieldPathId.$id}-add`} onClick={onAddProperty} registry={registry} />
      )}
    </Group>
  )
}

function ArrayFieldTemplate({
  title,
  schema,
  items,
  canAdd,
  onAddClick,
  fieldPathId,
  registry,
}: ArrayFieldTemplateProps) {
  return (
    <Group title={title} description={schema.description}>
      {items}
      {canAdd && <ButtonTemplates.AddButton id={`${fieldPathId.$id}-add`} onClick={onAddClick} registry={registry} />}
    </Group>
  )
}

function ArrayFieldItemTemplate({ children, buttonsProps, registry }: ArrayFieldItemTemplateProps) {
  const { fieldPathId, onRemoveItem } = buttonsProps
  return (
    <div className="flex items-center gap-2">
      <div className="min-w-0 flex-1">{children}</div>
      <ButtonTemplates.RemoveButton id={`${fieldPathId.$id}-remove`} onClick={onRemoveItem} registry={registry} />
    </div>
  )
}

const MultiSchemaFieldTemplate = ({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps) => (
  <div className="grid gap-2">
    {selector}
    {optionSchemaField}
  </div>
)

/** How react-jsonschema-form lays out fields. */
export const templates = {
  ArrayFieldItemTemplate,
  ArrayFieldTemplate,
  BaseInputTemplate,
  ButtonTemplates,
  FieldTemplate,
  MultiSchemaFieldTemplate,
  ObjectFieldTemplate,
}
