import { type Connection, ProviderError } from './connection.ts'

/** A model as its provider lists it. */
export interface ListedModel {
  model_type: 'llm' | 'embedding'
  name: string
  display_name?: string | undefined
  context_window?: number | undefined
  max_output_tokens?: number | undefined
  embedding_dim?: number | undefined
}

/** The maximum number of models in a listing: a provider may send any number. */
const MAX_LISTED = 2_000

export type Json = Record<string, unknown>

/** The objects of the list in a response: the response itself, or its field `key`. */
export function itemsOf(connection: Connection, response: unknown, key: string): Json[] {
  const list = Array.isArray(response) ? response : (response as Json | null)?.[key]
  if (!Array.isArray(list)) {
    throw new ProviderError(
      `${connection.name} answers with something else than a list of models: is its base URL right?`,
    )
  }
  return list.filter((item): item is Json => item !== null && typeof item === 'object').slice(0, MAX_LISTED)
}

/** A text that is not empty, cut to 500 characters, or undefined. */
export const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value.slice(0, 500) : undefined)
/** The first of the values that is a count, or undefined. */
export const countOf = (...values: unknown[]) =>
  values.find(
    (value): value is number => Number.isInteger(value) && (value as number) > 0 && (value as number) < 2 ** 31,
  )
