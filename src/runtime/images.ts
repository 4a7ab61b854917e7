import { ApiError } from '../lib/errors.ts'

import { readBytes } from '../lib/read-bytes.ts'

import type { Approval, RunRequest, UserInput } from './request.ts'

type Fetch = typeof globalThis.fetch

/** Bytes of one image by URL, images by URL of one request, and the milliseconds to read one. */
const MAX_BYTES = 5 * 1024 * 1024
const MAX_IMAGES = 8
const TIMEOUT_MS = 5_000

interface Source {
  type?: string
  url?: string
  data?: string
  media_type?: string
}

interface ImagePart {
  type: 'image'
  source: Source
}

type Part = ImagePart | Record<string, unknown>

const isImage = (part: Part): part is ImagePart =>
  part.type === 'image' && typeof part.source === 'object' && part.source !== null

const isMedia = (type: string | undefined): type is string => /^image\/[\w.+-]+$/.test(type ?? '')

/** The image at an address, or inside a `data:` address. Throws an error with the reason, for the caller. */
async function readImage(url: string, fetch: Fetch): Promise<Source> {
  const [, inline, data] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? []
  if (data !== undefined) {
    if (!isMedia(inline)) throw new Error('its media type is no image')
    return { type: 'base64', media_type: inline, data }
  }
  if (!/^https?:/i.test(url)) throw new Error('only http, https and data addresses are read')
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  const media_type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (!response.ok || !isMedia(media_type)) {
    await response.body?.cancel()
    throw new Error(response.ok ? 'its media type is no image' : `the address answers with ${response.status}`)
  }
  return { type: 'base64', media_type, data: (await readBytes(response, MAX_BYTES)).toString('base64') }
}

/** The reason why an image that came with its data can't be used; undefined where it can. */
function problemOf({ data, media_type }: Source): string | undefined {
  if (!data) return 'an image needs an url, or data with its media_type'
  if (!isMedia(media_type)) return 'the media_type must be that of an image, such as image/png'
  return /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? undefined : 'the data must be base64'
}

async function withData(part: Part, place: string, fetch: Fetch): Promise<Part> {
  if (!isImage(part)) return part
  const refused = (reason: string) => new ApiError('bad_request', `${place}: the image can't be read: ${reason}.`)
  const { url } = part.source
  if (url === undefined) {
    const problem = problemOf(part.source)
    if (problem) throw refused(problem)
    return part
  }
  try {
    return { ...part, source: await readImage(url, fetch) }
  } catch (error) {
    throw refused((error as Error).message.replace(/\.$/, ''))
  }
}

type Content = UserInput['content']

const partsIn = (content: Content): readonly Part[] => (typeof content === 'string' ? [] : (content as Part[]))

/** Content with the data of its images. */
const readContent = async (content: Content, place: string, fetch: Fetch): Promise<Content> =>
  typeof content === 'string'
    ? content
    : ((await Promise.all(
        partsIn(content).map((part, n) => withData(part, `${place}[${n}]`, fetch)),
      )) as typeof content)

const hasUrl = (part: Part) => isImage(part) && part.source.url !== undefined

/**
 * A request with the data of its images, also of those that tools of the caller return: images by URL are read by `fetch`, up to
 * 5 MB each, 8 of a request. 400 for an image that can't be read.
 */
export async function withImages(request: RunRequest, fetch: Fetch): Promise<RunRequest> {
  const { messages, approval } = request
  const returns = (approval?.answers ?? []).flatMap((answer) =>
    'tool_return' in answer ? partsIn(answer.tool_return) : [],
  )
  const parts = [...messages.flatMap(({ content }) => partsIn(content)), ...returns]
  const images = parts.filter(isImage)
  if (images.length === 0) return request
  if (images.filter(hasUrl).length > MAX_IMAGES) {
    throw new ApiError('bad_request', `messages: at most ${MAX_IMAGES} images by URL are read for one request.`)
  }
  const first = approval ? 1 : 0
  const readMessage = async (message: UserInput, n: number) => ({
    ...message,
    content: await readContent(message.content, `messages[${first + n}].content`, fetch),
  })
  const readAnswer = async (answer: Approval['answers'][number], n: number) =>
    'tool_return' in answer
      ? {
          ...answer,
          tool_return: await readContent(answer.tool_return, `messages[0].tool_returns[${n}].tool_return`, fetch),
        }
      : answer
  return {
    ...request,
    messages: await Promise.all(messages.map(readMessage)),
    ...(approval && { approval: { ...approval, answers: await Promise.all(approval.answers.map(readAnswer)) } }),
  }
}
