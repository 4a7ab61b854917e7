import { expect } from 'vitest'
import type { Client } from './server.ts'

/** A message that makes the built-in model call a tool. */
export const callOf = (tool: string, args: object) => `!call ${tool} ${JSON.stringify(args)}`

/** The return of a call that an agent of the built-in model makes. */
export async function callTool(
  client: Client,
  agentId: string,
  tool: string,
  args: object,
): Promise<{ status: 'success' | 'error'; tool_return: string }> {
  const { status, body } = await client.post(`/v1/agents/${agentId}/messages`, { input: callOf(tool, args) })
  expect(status, JSON.stringify(body)).toBe(200)
  const returned = body.messages.find(
    (message: { message_type: string }) => message.message_type === 'tool_return_message',
  )
  expect(returned, JSON.stringify(body.messages)).toBeDefined()
  return { status: returned.status, tool_return: returned.tool_return }
}
