import type { FastifyRequest } from 'fastify'

/**
 * The API key of a request's Authorization header, or of `X-BARE-PASSWORD: password <key>`, in which clients of the Letta
 * API send a server's password.
 */
export const apiKeyOf = ({ headers }: FastifyRequest): string | undefined =>
  /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1] ??
  /^password +(\S+)$/i.exec(`${headers['x-bare-password'] ?? ''}`)?.[1]
