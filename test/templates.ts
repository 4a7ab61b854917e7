import { expect } from 'vitest'
import type { Client } from './server.ts'

let names = 0
/** A name no other template has. */
export const fresh = () => `template-${names++}`

/** An agent with a value in every field that a template stores. */
export async function makeAgent(client: Client, body: object = {}) {
  const reply = await client.post('/v1/agents/', {
    name: 'Original',
    model: 'anthropic/claude-sonnet-4-5',
    system: 'Be kind.',
    description: 'The first of them',
    tags: ['support'],
    include_base_tools: false,
    tools: ['conversation_search'],
    tool_rules: [{ type: 'requires_approval', tool_name: 'conversation_search' }],
    model_settings: { provider_type: 'anthropic', temperature: 0.5 },
    compaction_settings: { mode: 'all', clip_chars: 1000 },
    response_format: { type: 'text' },
    metadata: { tier: 'gold', none: null },
    timezone: 'Europe/Paris',
    max_files_open: 3,
    memory_blocks: [
      { label: 'human', value: 'Name: {{name}}, plan: {{ plan }}', limit: 200, description: 'Who it is', tags: ['a'] },
      { label: 'persona', value: 'I help.', read_only: true },
    ],
    secrets: { API_TOKEN: 'very secret' },
    ...body,
  })
  expect(reply.status).toBe(200)
  return reply.body
}

/** A template of an agent with attachments. */
export async function makeTemplate(client: Client, agent: object = {}, headers?: Record<string, string>) {
  const { id } = await makeAgent(client, agent)
  const reply = await client.post('/v1/templates', { type: 'agent', agent_id: id, name: fresh() }, headers)
  expect(reply.status).toBe(200)
  return reply.body
}

/** Makes an agent from a template. */
export async function deploy(client: Client, template: string, body: object = {}) {
  const reply = await client.post(`/v1/templates/${template}/agents`, body)
  expect(reply.status).toBe(200)
  return reply.body
}

const INCLUDES = ['blocks', 'tools', 'tags', 'identities', 'sources', 'secrets']
const ALL = INCLUDES.map((name) => `include=agent.${name}`).join('&')
/** An agent with its attachments. */
export const readAgent = async (client: Client, id: string) => (await client.get(`/v1/agents/${id}?${ALL}`)).body

/** The URL of a template's snapshot. */
export const snapshotUrl = ({ project_id, name }: { project_id: string; name: string }, version = '') =>
  `/v1/templates/${project_id}/${name}${version}/snapshot`

/** Changes the current version of a template. */
export async function edit(
  client: Client,
  template: { project_id: string; name: string },
  // biome-ignore lint/suspicious/noExplicitAny: a snapshot is taken apart and put together again
  change: (snapshot: any) => void,
) {
  const { body } = await client.get(snapshotUrl(template, ':current'))
  change(body)
  const reply = await client.call('PUT', snapshotUrl(template, ':dev'), body)
  expect([reply.status, reply.body]).toEqual([200, { success: true }])
}

/** The values of blocks by their labels. */
export const valuesOf = ({ blocks }: { blocks: { label: string; value: string }[] }) =>
  Object.fromEntries(blocks.map(({ label, value }) => [label, value]))
