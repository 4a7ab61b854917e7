import { hash } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { PAGE_HEADERS, pagePolicy } from './page-headers.ts'

/**
 * `fetch` of the page, which runs in the browser: requests without a key get the one of the console's session in this tab.
 * The page contains the source of this function, so it uses nothing of this file.
 */
const fetchWithKey = (input: string | URL | Request, init?: RequestInit) => {
  const request = new Request(input, init)
  const key = globalThis.sessionStorage.getItem('cairn.key')
  const sent = request.headers.get('authorization') ?? ''
  if (key && !/^\w+ +\S/.test(sent) && request.url.startsWith(new Request('/').url)) {
    request.headers.set('authorization', `Bearer ${key}`)
  }
  return fetch(request)
}

/** The page asks no other host for anything: fonts, proxies, models. */
const CONFIGURATION = {
  url: '../openapi.json',
  pageTitle: 'Cairn API',
  customFetch: fetchWithKey,
  proxyUrl: '',
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
} as const

/** The Content-Security-Policy sources of the inline scripts of a page. */
const scriptHashes = (html: string) =>
  [...html.matchAll(/<script type="text\/javascript">([\s\S]*?)<\/script>/g)].map(
    ([, script]) => `sha256-${hash('sha256', script!, 'base64')}`,
  )

/** The page and its script. The script takes 36 MB of memory, which a server whose page nobody opens does not spend. */
async function openReference(): Promise<FastifyInstance> {
  const { default: apiReference } = await import('@scalar/fastify-api-reference')
  const reference = Fastify({ routerOptions: { ignoreTrailingSlash: true } })
  await reference.register(apiReference, { routePrefix: '/docs', configuration: CONFIGURATION })
  return reference
}

/** Serves a page at `/docs/` that shows the OpenAPI document and sends requests. */
export function addDocs(app: FastifyInstance): void {
  let opened: Promise<FastifyInstance> | undefined
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    // The page finds its parts beside it.
    if (/^\/docs(\?|$)/.test(request.url)) return reply.redirect(`${request.publicPath}/docs/`)
    opened ??= openReference()
    const { statusCode, headers, rawPayload } = await (await opened).inject(request.url)
    if (statusCode === 404) return reply.callNotFound()
    const type = String(headers['content-type'])
    const hashes = type.startsWith('text/html') ? scriptHashes(rawPayload.toString()) : []
    return reply
      .code(statusCode)
      .headers({ ...PAGE_HEADERS, 'content-security-policy': pagePolicy(...hashes), 'cache-control': 'max-age=3600' })
      .type(type)
      .send(rawPayload)
  }
  const options = { schema: { hide: true } }
  app.get('/docs', options, serve)
  app.get('/docs/*', options, serve)
}
