import type { FastifyReply } from 'fastify'

/** Sends a JSON value the framework would not send as JSON: `null` (it would send nothing) or a string (plain text). */
export const sendJson = (reply: FastifyReply, value: null | string) =>
  reply.type('application/json').send(JSON.stringify(value))
