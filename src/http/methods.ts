import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../lib/errors.ts'

/**
 * Collects the methods of every path registered from now on. Call the returned function after the last route: each path
 * then responds to every other method with 405 and `Allow`.
 */
export function trackMethods(app: FastifyInstance): () => void {
  const paths = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.onlyThisMethod) return
    const methods = paths.get(url) ?? new Set()
    for (const one of [method].flat()) methods.add(one)
    paths.set(url, methods)
  })
  return () => addMethodNotAllowed(app, paths)
}

function addMethodNotAllowed(app: FastifyInstance, paths: ReadonlyMap<string, ReadonlySet<string>>): void {
  // The names of parameters don't distinguish paths.
  const groups = Map.groupBy([...paths], ([url]) => url.replace(/:\w+/g, ':'))
  for (const group of groups.values()) {
    const [url] = group[0]!
    const methods = new Set(group.flatMap(([, named]) => [...named]))
    const allow = [...methods].sort().join(', ')
    const refuse = async ({ method }: FastifyRequest) => {
      throw new ApiError('method_not_allowed', `${method} is not allowed here; use ${allow}.`, { headers: { allow } })
    }
    app.route({
      method: app.supportedMethods.filter((method) => !methods.has(method)),
      url,
      schema: { hide: true },
      // Before the body is read: its media type doesn't matter.
      onRequest: refuse,
      handler: refuse,
    })
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Other methods of the path are a 404, as if the path didn't exist. */
    onlyThisMethod?: boolean
  }
}
