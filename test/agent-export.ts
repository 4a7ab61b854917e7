import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Client, Reply } from './server.ts'

// biome-ignore lint/suspicious/noExplicitAny: files from outside, and variations of them
export type Json = any

/**
 * Folders of agent files in the form in which other servers export them: encoded twice, of older revisions, large. The
 * first belongs to the repository. The second holds files that people exported, and is read where it exists.
 */
const FOLDERS = ['fixtures/agent-files', '../../shared/data/agent-files'].map((path) =>
  resolve(import.meta.dirname, path),
)

/** Paths of all agent files in those folders. */
export const foreignFiles = FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.af'))
    .sort()
    .map((name) => join(folder, name)),
)

/** Parses an agent file, also one whose JSON is encoded twice. */
export function parseAgentFile(text: string): Json {
  const content = JSON.parse(text)
  return typeof content === 'string' ? JSON.parse(content) : content
}

/** A value without its nulls, at any depth: in agent files, null means "no value". */
export function omitNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(omitNulls)
  if (typeof value !== 'object' || value === null) return value
  const set = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(set.map(([key, inner]) => [key, omitNulls(inner)]))
}

/** Imports an agent file from its text or its parsed JSON. */
export function importFile(
  client: Client,
  file: string | object,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Reply<Json>> {
  const form = new FormData()
  form.append('file', new Blob([typeof file === 'string' ? file : JSON.stringify(file)]), 'agent.af')
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return client.post('/v1/agents/import', form, headers)
}

/** Imports an agent file, expects success, and returns the ids of its agents. */
export async function imported(client: Client, file: string | object, fields?: Record<string, string>) {
  const { status, body } = await importFile(client, file, fields)
  if (status !== 200) throw new Error(`The import failed with ${status}: ${JSON.stringify(body)}`)
  return body.agent_ids as string[]
}

/** Exports an agent, expects success, and returns its file. */
export async function exported(client: Client, id: string, query = ''): Promise<Json> {
  const { status, body } = await client.get(`/v1/agents/${id}/export${query}`)
  if (status !== 200) throw new Error(`The export failed with ${status}: ${JSON.stringify(body)}`)
  return body
}

/** An agent file without its time of export. */
export const timeless = ({ created_at: _, ...file }: Json) => file
