import type { FastifyReply } from 'fastify'

/** Sends a string as the JSON string it is: returned from a handler, it would go out as plain text. */
export const sendString = (reply: FastifyReply, text: string) =>
  reply.type('application/json').send(JSON.stringify(text))
