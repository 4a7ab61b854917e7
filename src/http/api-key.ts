import type { FastifyRequest } from 'fastify'

/** The API key of a request's Authorization header. */
export const apiKeyOf = ({ headers }: FastifyRequest): string | undefined =>
  /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
