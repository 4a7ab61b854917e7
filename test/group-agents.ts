import { expect, vi } from 'vitest'
import type { Client } from './server.ts'

/** The machine may be busy. */
export const PATIENT = { timeout: 60_000 }

// biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect
type Body = any

/** Makes an agent without base tools. Returns its id. */
export async function makeAgent(client: Client, name: string, body: object = {}): Promise<string> {
  const reply = await client.post('/v1/agents/', { name, include_base_tools: false, ...body })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.body.id
}

export async function makeGroup(client: Client, agent_ids: string[], manager_config: object): Promise<string> {
  const reply = await client.post('/v1/groups/', { agent_ids, description: 'A group', manager_config })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.body.id
}

/** Agents of these names, by name. */
export async function makeAgents<N extends string>(client: Client, names: readonly N[], body: object = {}) {
  const ids = await Promise.all(names.map(async (name) => [name, await makeAgent(client, name, body)] as const))
  return Object.fromEntries(ids) as Record<N, string>
}

/** Sends a message to a group, and gets the response. */
export async function sendTo(client: Client, group: string, input: string, body: object = {}): Promise<Body> {
  const reply = await client.post(`/v1/groups/${group}/messages`, { input, ...body })
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return reply.body
}

/** Who says what, in the order of the messages. */
export const spoken = (messages: Body[]): [string, string][] =>
  messages.flatMap(({ message_type, name, content }) => (message_type === 'assistant_message' ? [[name, content]] : []))

/** Waits until a run is over. Returns it. */
export async function ended(client: Client, id: string): Promise<Body> {
  const read = async () => (await client.get(`/v1/runs/${id}`)).body
  await vi.waitUntil(async () => !['created', 'running'].includes((await read()).status), PATIENT)
  return read()
}
