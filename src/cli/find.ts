import { idPattern, type Prefix } from '../lib/ids.ts'
import { type Client, path, type Query } from './client.ts'
import { wrongUse } from './exit.ts'

/** Resources that commands take by name or by id: where they are listed, with which filters. */
const KINDS = {
  agent: { prefix: 'agent', route: '/v1/agents/', query: { show_hidden_agents: true } },
  archive: { prefix: 'archive', route: '/v1/archives/', query: {} },
  folder: { prefix: 'source', route: '/v1/folders/', query: {} },
  tool: { prefix: 'tool', route: '/v1/tools/', query: {} },
} as const satisfies Record<string, { prefix: Prefix; route: string; query: Query }>

export type Kind = keyof typeof KINDS

interface Named {
  id: string
  name: string
}

/** The resource of a kind with this name, if there is one. Throws where several have the name. */
export async function findByName<T extends Named>(client: Client, kind: Kind, name: string): Promise<T | undefined> {
  const { route, query } = KINDS[kind]
  const found: T[] = []
  // Names of folders are found by a part.
  for await (const row of client.list<T>(route, { ...query, name })) if (row.name === name) found.push(row)
  if (found.length > 1) {
    const ids = found.map(({ id }) => `  ${id}`).join('\n')
    throw wrongUse(`${found.length} ${kind}s are called "${name}": use an id.\n${ids}`)
  }
  return found[0]
}

/**
 * The id of the resource of a kind that an argument names, by its id or its name. Where there is none, it throws, or with `create`
 * creates one of this name.
 */
export async function findId(client: Client, kind: Kind, reference: string, create = false): Promise<string> {
  if (new RegExp(idPattern(KINDS[kind].prefix)).test(reference)) return reference
  const found = await findByName(client, kind, reference)
  if (!found && create) return (await client.post<Named>(KINDS[kind].route, { name: reference })).id
  if (!found) throw wrongUse(`No ${kind} is called "${reference}". \`cairn ${kind}s list\` lists them.`)
  return found.id
}

/** The route of the agent that an argument names, by its id or its name. */
export const agentRoute = async (client: Client, reference: string) =>
  path`/v1/agents/${await findId(client, 'agent', reference)}`
