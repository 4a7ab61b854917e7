import type { IncomingMessage } from 'node:http'
import { compile } from '@fastify/proxy-addr'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { BASE_PATH, type Config } from '../config.ts'
import { enterLetta } from './letta.ts'

export type ProxySettings = Pick<Config, 'trustProxy' | 'basePath'>

/** The path without the prefix that a proxy left in it. */
function withoutBase(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url
  const rest = url.slice(basePath.length)
  if (rest.startsWith('/')) return rest
  return rest === '' || rest.startsWith('?') ? `/${rest}` : url
}

/** What the framework has to know: whose `X-Forwarded-*` to believe, and which route a path means. */
export function proxyOptions({ trustProxy, basePath }: ProxySettings): FastifyServerOptions {
  return {
    ...(trustProxy.length > 0 && { trustProxy: compile([...trustProxy]) }),
    rewriteUrl: (raw) => enterLetta(raw as IncomingMessage, withoutBase(raw.url ?? '/', basePath)),
  }
}

/**
 * Tells each request under which path the caller reaches the server: what a trusted proxy says in `X-Forwarded-Prefix`
 * to have taken off, else the base path. The routes themselves are found with and without the base path.
 */
export function addPublicUrl(app: FastifyInstance, { trustProxy, basePath }: ProxySettings): void {
  const trusted = compile([...trustProxy])
  app.decorateRequest('publicPath', {
    getter() {
      const given = this.headers['x-forwarded-prefix']
      if (typeof given !== 'string' || !trusted(this.socket.remoteAddress ?? '', 0)) return basePath
      const prefix = given.replace(/\/$/, '')
      return prefix === '' || BASE_PATH.test(prefix) ? prefix : basePath
    },
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The path the caller reaches the server under, without a slash at the end: what stands before `/v1`. */
    publicPath: string
  }
}
