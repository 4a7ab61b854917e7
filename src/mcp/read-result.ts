import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'

/** An image in the result of a call. */
// A type rather than an interface: it is also a part of a message, which may have other fields.
export type ResultImage = {
  type: 'image'
  source: { type: 'base64'; media_type: string; data: string }
}

/** The result of a call: its text, and its images. */
export interface McpResult {
  status: 'success' | 'error'
  text: string
  images: ResultImage[]
}

/** The images that models read, and their number and size at most: the text says what the others were. */
const IMAGE = /^image\/(png|jpeg|gif|webp)$/
const MAX_IMAGES = 8
const MAX_BASE64 = 7_000_000

/** The image in a part of a result. */
function imageOf(part: ContentBlock): ResultImage | undefined {
  const inside = part.type === 'resource' ? part.resource : part
  const data = 'blob' in inside ? inside.blob : part.type === 'image' ? part.data : ''
  const media_type = ('mimeType' in inside && inside.mimeType) || ''
  if (!data || data.length > MAX_BASE64 || !IMAGE.test(media_type)) return undefined
  return { type: 'image', source: { type: 'base64', media_type, data } }
}

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
    images: content.flatMap((part) => imageOf(part) ?? []).slice(0, MAX_IMAGES),
  }
}
