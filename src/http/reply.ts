import type { FastifyReply } from 'fastify'

/** Sends a string as a JSON string: a string that a handler returns is sent as plain text. */
export const sendString = (reply: FastifyReply, text: string) =>
  reply.type('application/json').send(JSON.stringify(text))
