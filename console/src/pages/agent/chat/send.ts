import type { Message } from '../../../api/generated.ts'

const newId = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')

/** A message of the user: as it is sent, and as it is shown until the server has stored it. */
export function userMessage(text: string): { request: object; shown: Message } {
  const otid = newId()
  return {
    request: { role: 'user', content: text, otid },
    shown: { id: otid, otid, date: new Date().toISOString(), message_type: 'user_message', content: text },
  }
}

/** The decision about each waiting call, as a message. */
export const approvalMessage = (toolCallIds: readonly string[], approve: boolean, reason?: string) => ({
  type: 'approval',
  approvals: toolCallIds.map((tool_call_id) => ({
    type: 'approval',
    tool_call_id,
    approve,
    ...(reason && { reason }),
  })),
})

/** The body that sends messages, and streams the run token by token. The run goes on without its reader. */
export const backgroundRun = (messages: readonly object[]) => ({
  messages,
  streaming: true,
  stream_tokens: true,
  background: true,
})
