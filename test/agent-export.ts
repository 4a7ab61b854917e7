import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Client, Reply } from './server.ts'

// biome-ignore lint/suspicious/noExplicitAny: files from outside, and what tests make of them
export type Json = any

/** Agent files as people exported them: data to run on, kept outside the repository. */
const REAL_FILES = resolve(import.meta.dirname, '../../shared/data/agent-files')

/** The names of the real agent files, none where they aren't beside the repository. */
export const realFiles = existsSync(REAL_FILES) ? readdirSync(REAL_FILES).filter((name) => name.endsWith('.af')) : []

export const readRealFile = (name: string) => readFileSync(join(REAL_FILES, name), 'utf8')

/** What an agent file says, though its JSON lie in a string. */
export function contentOf(text: string): Json {
  const content = JSON.parse(text)
  return typeof content === 'string' ? JSON.parse(content) : content
}

/** Imports an agent file: its text, or what it says. */
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

/** Imports an agent file that must be taken, and returns the ids of its agents. */
export async function imported(client: Client, file: string | object, fields?: Record<string, string>) {
  const { status, body } = await importFile(client, file, fields)
  if (status !== 200) throw new Error(`The import answered ${status}: ${JSON.stringify(body)}`)
  return body.agent_ids as string[]
}

/** The file of an agent. */
export async function exported(client: Client, id: string, query = ''): Promise<Json> {
  const { status, body } = await client.get(`/v1/agents/${id}/export${query}`)
  if (status !== 200) throw new Error(`The export answered ${status}: ${JSON.stringify(body)}`)
  return body
}

/** A file but for when it was written. */
export const timeless = ({ created_at: _, ...file }: Json) => file
