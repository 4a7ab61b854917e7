import type { FastifyRequest } from 'fastify'

/** The path of the callback of authorizations, under `/v1`: programs of others have it in their settings. */
export const CALLBACK_PATH = '/tools/mcp/oauth/callback'

/** The address to which authorization servers send users back, as the caller of a request reaches this server. */
export const callbackUrl = ({ protocol, host, publicPath }: FastifyRequest) =>
  `${protocol}://${host}${publicPath}/v1${CALLBACK_PATH}`
