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

/** The line between the note of a summary and its text. */
const SUMMARY_LINE = 'The following is a summary of the previous messages:\n '

/** Why a context was compacted, and its size before and after. */
export interface CompactionStats {
  trigger: string
  context_tokens_before: number
  context_tokens_after: number
  context_window: number
  messages_count_before: number
  messages_count_after: number
}

/** A summary as models read it: JSON that says that messages are gone from the context, and what they said. */
export function packSummary(summary: string, time: string, hidden?: number, stats?: CompactionStats): string {
  const messages = hidden === undefined ? 'prior messages have' : `${hidden} messages from the beginning have`
  const note = `Note: ${messages} been hidden from view due to conversation memory constraints.\n${SUMMARY_LINE}`
  const packed = { type: 'system_alert', message: note + summary, time, ...(stats && { compaction_stats: stats }) }
  return JSON.stringify(packed, null, 2)
}

/** The summary inside a packed one, and its figures. A text of another form is the summary itself. */
export function unpackSummary(content: readonly ContentPart[]): { summary: string; stats?: CompactionStats } {
  const text = textOf(content)
  try {
    const { message, compaction_stats } = JSON.parse(text) as { message: string; compaction_stats?: CompactionStats }
    const at = message.indexOf(SUMMARY_LINE)
    const summary = at === -1 ? message : message.slice(at + SUMMARY_LINE.length)
    return { summary, ...(compaction_stats && { stats: compaction_stats }) }
  } catch {
    return { summary: text }
  }
}

/** A message of the server that the model reads as the user's: JSON with its type and its time. */
export const packEvent = (type: 'heartbeat' | 'login', fields: object, time: string): string =>
  JSON.stringify({ type, ...fields, time }, null, 2)

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
