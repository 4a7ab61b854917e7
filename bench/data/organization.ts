import { sql } from 'kysely'
import type { Database } from '../../src/db/engine/database.ts'
import type { Cipher } from '../../src/lib/cipher.ts'
import { addAgents } from './agents.ts'
import { insertRows, insertTables, range } from './insert.ts'
import { createRandom } from './prose.ts'
import { archiveRow, folderRow, groupRow, identityRow, type Owner, toolRow } from './rows.ts'

/** The number of rows of each resource in an organization. */
export interface Size {
  agents: number
  archives: number
  folders: number
  groups: number
  identities: number
}

const TOOLS = 30
const GROUP_AGENTS = 5

/** Chooses the tools of the nth agent: two built-in ones and three of the organization's own. */
async function toolChooser(database: Database, organizationId: string, ownIds: readonly string[]) {
  const { rows: builtIn } = await sql<{ id: string }>`
    select id from tools where organization_id = ${organizationId} and tool_type <> 'custom' order by id
  `.execute(database.kysely)
  return (n: number): string[] => {
    const given = range(2).flatMap((k) => builtIn[(n + k) % builtIn.length]?.id ?? [])
    const own = range(5).map((k) => ownIds[(n * 3 + k * 7) % ownIds.length]!)
    return [...given, ...own].slice(0, 5)
  }
}

/**
 * Fills an organization: agents with three blocks (one of them shared by ten), three tags, five tools, an identity and
 * two secrets each, every tenth with a folder; archives, folders, and groups of five agents.
 */
export async function addData(
  { database, cipher }: { database: Database; cipher: Cipher },
  owner: Owner,
  size: Size,
  onAgents: (inserted: number) => void = () => {},
): Promise<void> {
  const organization_id = owner.organizationId
  const random = createRandom(size.agents)
  const folders = range(size.folders).map((n) => folderRow(owner, random, n))
  const identities = range(size.identities).map((n) => identityRow(owner, n))
  const tools = range(TOOLS).map((n) => toolRow(owner, random, n))
  const archives = range(size.archives).map((n) => archiveRow(owner, random, n))
  await insertTables(database, { archives, folders, identities, tools })

  const toolIds = tools.map(({ id }) => id)
  const targets = {
    toolIds: await toolChooser(database, organization_id, toolIds),
    folderIds: folders.map(({ id }) => id),
    identityIds: identities.map(({ id }) => id),
  }
  const agentIds = await addAgents({ database, cipher, owner, random }, size.agents, targets, onAgents)

  const step = Math.floor(size.agents / size.groups)
  const groups = range(size.groups).map((n) => groupRow(owner, random, n % 2 ? agentIds[n * step]! : null))
  await insertRows(database, 'groups', groups)
  const members = groups.flatMap(({ id: group_id }, n) =>
    range(GROUP_AGENTS).map((k) => ({ organization_id, group_id, agent_id: agentIds[n * step + k]! })),
  )
  await insertRows(database, 'groups_agents', members)
}
