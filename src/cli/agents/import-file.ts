import { randomUUID } from 'node:crypto'
import type { Client } from '../client.ts'

interface Imported {
  agent_ids: string[]
  warnings?: string[]
}

/** Imports an agent file, once even if the request is sent again. `fields` are those of the form. */
export async function importFile(client: Client, text: string, fields: Record<string, string | undefined>) {
  const form = new FormData()
  form.append('file', new Blob([text], { type: 'application/json' }), 'agent.af')
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value)
  return client.post<Imported>('/v1/agents/import', form, { 'idempotency-key': randomUUID() })
}
