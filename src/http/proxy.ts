import type { IncomingMessage } from 'node:http'
import { compile } from '@fastify/proxy-addr'
import type { FastifyInstance, FastifyServerOptions } from 'fastify'
import { BASE_PATH, type Config } from '../config.ts'
import { enterLetta } from './letta.ts'

export type ProxySettings = Pick<Config, 'trustProxy' | 'basePath'>

/** A path without the base path, which a proxy may leave in it. */
function withoutBase(url: string, basePath: string): string {
  if (basePath === '' || !url.startsWith(basePath)) return url
  const rest = url.slice(basePath.length)
  if (rest.startsWith('/')) return rest
  return rest === '' || rest.startsWith('?') ? `/${rest}` : url
}

/** A URL without doubled slashes in its path: clients join base URLs and paths that both have one. */
function withSingleSlashes(url: string): string {
  if (!url.includes('//')) return url
  const [path, ...query] = url.split('?')
  return [path!.replace(/\/{2,}/g, '/'), ...query].join('?')
}

/** Options of the framework: the proxies whose `X-Forwarded-*` headers are believed, and the route of a path. */
export function proxyOptions({ trustProxy, basePath }: ProxySettings): FastifyServerOptions {
  return {
    ...(trustProxy.length > 0 && { trustProxy: compile([...trustProxy]) }),
    rewriteUrl: (raw) => enterLetta(raw as IncomingMessage, withoutBase(withSingleSlashes(raw.url ?? '/'), basePath)),
  }
}

/**
 * Sets `publicPath` on each request: the `X-Forwarded-Prefix` of a trusted proxy, which has removed that prefix, else the
 * base path. Routes are found with and without the base path.
 */
export function addPublicUrl(app: FastifyInstance, { trustProxy, basePath }: ProxySettings): void {
  const trusted = compile([...trustProxy])
  app.decorateRequest('publicPath', {
    getter() {
      const header = this.headers['x-forwarded-prefix']
      if (typeof header !== 'string' || !trusted(this.socket.remoteAddress ?? '', 0)) return basePath
      const prefix = header.replace(/\/$/, '')
      return prefix === '' || BASE_PATH.test(prefix) ? prefix : basePath
    },
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller's path to the server, without a trailing slash: the prefix of `/v1`. */
    publicPath: string
  }
}
