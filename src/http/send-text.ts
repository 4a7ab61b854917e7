import type { FastifyReply } from 'fastify'

/** Sends a text as a JSON string. A string that a handler returns would go out as it is, as text/plain. */
export const sendText = (reply: FastifyReply, text: string) =>
  reply.type('application/json; charset=utf-8').send(JSON.stringify(text))
