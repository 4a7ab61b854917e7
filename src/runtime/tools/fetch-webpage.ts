import { readFile } from '../../files/read.ts'
import { typeOf } from '../../files/types.ts'
import { isRedirect } from '../../lib/egress.ts'
import { EgressError } from '../../lib/egress-address.ts'
import { readBytes } from '../../lib/read-bytes.ts'
import { ToolError } from '../memory.ts'
import { text } from './arguments.ts'
import type { OutsideTool, Web } from './tool.ts'

/** Of one page. */
const MAX_BYTES = 10 * 1024 * 1024
const MAX_REDIRECTS = 5
const TIMEOUT_MS = 30_000

const BOUNDS = {
  ...{ milliseconds: 15_000, heapMb: 256, externalMb: 256, pages: 500 },
  ...{ characters: 2_000_000, inflatedMb: 64, chunks: 0 },
}

const HEADERS = { accept: 'text/html,text/markdown;q=0.9,*/*;q=0.5', 'user-agent': 'Mozilla/5.0 (compatible; Cairn)' }

/** The response of a page, after redirects: each address passes the egress policy. */
async function requestPage(
  web: Web,
  address: string,
  signal: AbortSignal,
): Promise<{ url: string; response: Response }> {
  let url = address
  for (let left = MAX_REDIRECTS; left >= 0; left--) {
    const response = await web.egress.fetch(url, { headers: HEADERS, signal, redirect: 'manual' })
    if (!isRedirect(response)) return { url, response }
    await response.body?.cancel()
    url = new URL(response.headers.get('location')!, url).href
  }
  throw new ToolError(`${address} redirects more than ${MAX_REDIRECTS} times.`)
}

/** The character set that the header of a page names, or the page itself. */
function decoderOf(mediaType: string, bytes: Buffer): InstanceType<typeof TextDecoder> {
  const named = /charset\s*=\s*["']?([\w:.-]+)/i
  const [, label = 'utf-8'] = named.exec(mediaType) ?? named.exec(bytes.subarray(0, 1024).toString('latin1')) ?? []
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}

/** The readable text of a page. Throws a ToolError with the reason where there is none. */
async function readPage(web: Web, address: string, signal: AbortSignal): Promise<string> {
  const { url, response } = await requestPage(web, address, signal)
  const mediaType = response.headers.get('content-type') ?? 'text/html'
  const type = typeOf(mediaType, new URL(url).pathname)
  if (!response.ok || !type) {
    await response.body?.cancel()
    throw new ToolError(
      response.ok ? `Its media type ${mediaType} can't be read.` : `The address answers with ${response.status}.`,
    )
  }
  const bytes = await readBytes(response, MAX_BYTES)
  const isPage = type.format === 'html'
  const isText = isPage || type.format === 'text' || type.format === 'csv'
  const read = await readFile(
    {
      from: { bytes: isText ? Buffer.from(decoderOf(mediaType, bytes).decode(bytes)) : bytes },
      type: isPage ? { ...type, format: 'page', base: url } : type,
      kind: { file_name: '' },
    },
    signal,
    BOUNDS,
  )
  if ('fault' in read) throw new ToolError(read.fault)
  return read.text
}

/** Reads a web page: its content as Markdown, or the text of a document. It reaches what users' addresses may reach. */
export const fetchWebpage: OutsideTool = {
  outside: 'repeatable',
  async run(args, { scope, services: { web }, signal }) {
    const url = text(args, 'url')
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    try {
      return await web.turns(scope.organizationId, () => readPage(web, url, AbortSignal.any([signal, timeout])))
    } catch (error) {
      signal.throwIfAborted()
      if (timeout.aborted) throw new ToolError(`${url} was not read within ${TIMEOUT_MS / 1000} seconds.`)
      const { message, cause } = error as Error
      const reason =
        error instanceof ToolError || error instanceof EgressError
          ? message
          : ((cause as Error | undefined)?.message ?? message)
      throw new ToolError(`${url} can't be read: ${reason}`)
    }
  },
}
