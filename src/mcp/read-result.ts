import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'

/** An image in the result of a call. */
export interface ResultImage {
  type: 'image'
  source: { type: 'base64'; media_type: string; data: string }
}

/** The result of a call: its text, and its images. */
export interface McpResult {
  status: 'success' | 'error'
  text: string
  images: ResultImage[]
}

const isImage = (part: ContentBlock) => part.type === 'image'

const kilobytes = (base64: string) => `${Math.ceil((base64.length * 3) / 4 / 1024)} kB`

/** A part of a result as text. */
function textOf(part: ContentBlock): string {
  if (part.type === 'text') return part.text
  if (part.type === 'image' || part.type === 'audio') return `[${part.mimeType}, ${kilobytes(part.data)}]`
  if (part.type === 'resource_link') return `[${part.title ?? part.name}](${part.uri})`
  const { resource } = part
  return 'text' in resource ? resource.text : `[${resource.uri}, ${kilobytes(resource.blob)}]`
}

/** Reads the result of a call: text parts are joined by spaces, and other parts are described, or shown as text where they hold text. */
export function readResult({ content, isError, structuredContent }: CallToolResult): McpResult {
  const structured = structuredContent === undefined ? [] : [JSON.stringify(structuredContent)]
  const texts = content.length > 0 ? content.map(textOf) : structured
  return {
    status: isError ? 'error' : 'success',
    text: texts.join(' ') || 'The tool returned nothing.',
    images: content.flatMap((part) =>
      isImage(part) ? { type: 'image', source: { type: 'base64', media_type: part.mimeType, data: part.data } } : [],
    ),
  }
}
