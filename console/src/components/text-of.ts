/** The text of a message's content: text parts as they are, other parts by their type. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: { type?: string; text?: string }) => part.text ?? `[${part.type ?? 'part'}]`).join('\n')
}
