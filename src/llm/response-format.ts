import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'

type JsonFormat = Extract<NonNullable<LanguageModelV4CallOptions['responseFormat']>, { type: 'json' }>
type Schema = NonNullable<JsonFormat['schema']>

/** A format of answers in settings. `json_schema` is OpenAI's object with `name` and `schema`, or a schema itself. */
export interface Format {
  type?: 'text' | 'json_schema' | 'json_object'
  json_schema?: Readonly<Record<string, unknown>> | undefined
}

/** The format of answers in the terms of the AI SDK, and whether the provider holds the model to every word of the schema. */
export function responseFormatOf(format: Format | undefined): {
  responseFormat?: LanguageModelV4CallOptions['responseFormat']
  strictJsonSchema?: boolean
} {
  const given = format?.json_schema
  if (!given) return format?.type === 'json_object' ? { responseFormat: { type: 'json' } } : {}
  const { name, description, schema, strict } = ('schema' in given ? given : { schema: given }) as {
    name?: string
    description?: string
    schema: Schema
    strict?: boolean
  }
  return {
    responseFormat: {
      type: 'json',
      ...(schema && { schema }),
      ...(name && { name }),
      ...(description && { description }),
    },
    strictJsonSchema: strict ?? false,
  }
}
