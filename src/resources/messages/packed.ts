import type { ContentPart, StoredReturn } from './table.ts'

/** JSON with a space after commas and colons, as Python writes it: clients of this API compare such texts. */
export function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${spacedJson(member)}`)
    return `{${members.join(', ')}}`
  }
  return JSON.stringify(value ?? null)
}

/** The return of a tool as models read it, and as agent files hold it: JSON with its status and its time. */
export const packReturn = (status: 'success' | 'error', message: string, time: string): string =>
  JSON.stringify({ status: status === 'success' ? 'OK' : 'Failed', message, time }, null, 2)

const textOf = (content: string | readonly ContentPart[]) =>
  typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('')

/** The text inside a packed return; a text that isn't packed as it is. */
export function unpackReturn({ func_response }: Pick<StoredReturn, 'func_response'>): string | ContentPart[] {
  if (typeof func_response !== 'string') return func_response
  try {
    const { message } = JSON.parse(func_response) as { message?: unknown }
    return typeof message === 'string' ? message : func_response
  } catch {
    return func_response
  }
}

/** Content with images as text: for the deprecated fields that hold text alone. */
export const asText = (content: string | readonly ContentPart[]): string =>
  typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? (part.text ?? '') : `[${part.type}]`)).join('\n')

/** The text of a user's message: older agents hold it packed, as JSON with its time. */
export function unpackUser(content: readonly ContentPart[]): string {
  const text = textOf(content)
  if (!text.startsWith('{')) return text
  try {
    const packed = JSON.parse(text) as { type?: string; message?: unknown }
    return packed.type === 'user_message' && typeof packed.message === 'string' ? packed.message : text
  } catch {
    return text
  }
}
