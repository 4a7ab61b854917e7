import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refuseLetta } from '../letta.ts'
import { PAGE_HEADERS } from '../page-headers.ts'

/** Why there are no pages: they are being built, could not be built, or nothing here builds them. */
export type Absence = 'building' | 'failed' | 'missing'

const NOTICES: Record<Absence, { title: string; text: string }> = {
  building: { title: 'The console is being built', text: 'This takes a few seconds. The page reloads by itself.' },
  failed: {
    title: 'The console could not be built',
    text: 'The log of the server says why. <code>npm run build --workspace console</code> builds it again.',
  },
  missing: {
    title: 'The console is not built',
    text: 'Run <code>npm ci</code> and <code>npm run build --workspace console</code> in the folder of the server; both need its development packages.',
  },
}

const notice = (absence: Absence) => {
  const { title, text } = NOTICES[absence]
  const refresh = absence === 'building' ? '<meta http-equiv="refresh" content="2">' : ''
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title} · Cairn</title>${refresh}` +
    '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">' +
    '<style>body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:20vh auto;padding:0 1rem}</style>' +
    `</head><body><main><h1>${title}</h1><p>${text}</p></main></body></html>`
  )
}

/** Whether a request is a browser's for a page. */
const wantsPage = ({ headers }: FastifyRequest) => headers.accept?.includes('text/html') ?? false

/** A file at the root of the pages, such as an icon. */
const FILE = /^[\w-]+\.\w+$/

/**
 * Serves the built console of a folder under `/console/`, where paths that are no file are pages too, and sends browsers there
 * from `/`. `absence` explains missing files to the user.
 */
export async function addPages(app: FastifyInstance, directory: string, absence: () => Absence): Promise<void> {
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const html = await readFile(join(directory, 'index.html'), 'utf8').catch(() => undefined)
    reply.headers({ ...PAGE_HEADERS, 'cache-control': 'no-cache' }).type('text/html; charset=utf-8')
    if (html === undefined) return reply.code(503).header('retry-after', '2').send(notice(absence()))
    return reply.send(html.replace('<base href="/', `<base href="${request.publicPath}/`))
  }
  // The folder itself may be built later.
  await app.register(fastifyStatic, {
    root: dirname(directory),
    serve: false,
    cacheControl: false,
    preCompressed: true,
  })
  await app.register(async (pages) => {
    pages.addHook('onRequest', refuseLetta)
    const options = { schema: { hide: true } }
    pages.get('/', options, (request, reply) =>
      wantsPage(request) ? reply.redirect(`${request.publicPath}/console/`) : reply.callNotFound(),
    )
    pages.get('/console', options, page)
    pages.get('/console/*', options, (request, reply) => {
      const path = (request.params as { '*': string })['*']
      // Names of assets have a hash of their content.
      const forever = path.startsWith('assets/')
      if (!forever && (!FILE.test(path) || path === 'index.html')) return page(request, reply)
      return reply
        .headers({ ...PAGE_HEADERS, vary: 'accept-encoding' })
        .sendFile(path, directory, forever ? { cacheControl: true, maxAge: '1y', immutable: true } : {})
    })
  })
}
