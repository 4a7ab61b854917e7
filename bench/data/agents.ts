import type { Database } from '../../src/db/engine/database.ts'
import type { Cipher } from '../../src/lib/cipher.ts'
import { agentRow } from './agent-row.ts'
import { BATCH, insertTables, range } from './insert.ts'
import type { Random } from './prose.ts'
import { blockRow, type Owner, secretRow } from './rows.ts'

const SHARED_BLOCK_AGENTS = 10
const FOLDER_EVERY = 10
const SECRETS = ['API_TOKEN', 'BASE_URL']

/** The ids of rows that agents link to. */
export interface LinkTargets {
  /** The tools of each agent, by its number. */
  toolIds(n: number): string[]
  folderIds: string[]
  identityIds: string[]
}

type AgentRow = Omit<ReturnType<typeof agentRow>, 'message_ids' | 'pending_approval'>
type BlockRow = ReturnType<typeof blockRow>

/** Two blocks of each agent's own, and one block shared by ten agents, with the links to them. */
function blocksOf(owner: Owner, random: Random, agents: readonly AgentRow[]) {
  const blocks: BlockRow[] = []
  const links: object[] = []
  let shared: BlockRow | undefined
  for (const [n, agent] of agents.entries()) {
    if (!shared || n % SHARED_BLOCK_AGENTS === 0) {
      shared = blockRow(owner, random, 'team')
      blocks.push(shared)
    }
    const own = ['persona', 'human'].map((label) => blockRow(owner, random, label))
    blocks.push(...own)
    for (const { id, label } of [...own, shared]) {
      links.push({ organization_id: owner.organizationId, agent_id: agent.id, block_id: id, block_label: label })
    }
  }
  return { blocks, agents_blocks: links }
}

/** The links of an agent to its tools, its identity and, for every tenth agent, a folder. */
function linksOf({ organizationId: organization_id }: Owner, { id: agent_id }: AgentRow, n: number, ids: LinkTargets) {
  const link = { organization_id, agent_id }
  const folder = n % FOLDER_EVERY === 0 ? [ids.folderIds[(n / FOLDER_EVERY) % ids.folderIds.length]] : []
  return {
    tools: ids.toolIds(n).map((tool_id) => ({ ...link, tool_id })),
    identities: [{ ...link, identity_id: ids.identityIds[n % ids.identityIds.length] }],
    folders: folder.map((source_id) => ({ ...link, source_id })),
  }
}

/** The secrets of an agent, encrypted for the context that the server decrypts them with. */
const secretsOf = (owner: Owner, cipher: Cipher, { id }: AgentRow) =>
  SECRETS.map((key) =>
    secretRow(owner, id, key, cipher.encrypt(`${key}-of-${id}`, `${owner.organizationId}/${id}/${key}`)),
  )

/** Inserts agents with three blocks, five tools, an identity and two secrets each. Returns their ids. */
export async function addAgents(
  { database, cipher, owner, random }: { database: Database; cipher: Cipher; owner: Owner; random: Random },
  count: number,
  targets: LinkTargets,
  onAgents: (inserted: number) => void,
): Promise<string[]> {
  const ids: string[] = []
  for (let start = 0; start < count; start += BATCH) {
    const rows = range(Math.min(BATCH, count - start)).map((n) => agentRow(owner, random, start + n))
    const agents = rows.map(({ message_ids, pending_approval, ...row }) => row)
    const threads = rows.map(({ organization_id, id, message_ids, pending_approval }) => ({
      ...{ organization_id, id, agent_id: id, message_ids, pending_approval },
    }))
    const links = agents.map((agent, n) => linksOf(owner, agent, start + n, targets))
    await insertTables(database, {
      agents,
      threads,
      ...blocksOf(owner, random, agents),
      agents_tools: links.flatMap(({ tools }) => tools),
      agents_identities: links.flatMap(({ identities }) => identities),
      agents_folders: links.flatMap(({ folders }) => folders),
      agent_environment_variables: agents.flatMap((agent) => secretsOf(owner, cipher, agent)),
    })
    ids.push(...agents.map(({ id }) => id))
    onAgents(ids.length)
  }
  return ids
}
