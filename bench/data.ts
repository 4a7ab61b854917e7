import { sql } from 'kysely'
import type { Database } from '../src/db/database.ts'
import type { Cipher } from '../src/lib/cipher.ts'
import type { Owner } from './rows.ts'
import * as make from './rows.ts'
import { createRandom } from './text.ts'

/** How much of everything an organization has. */
export interface Size {
  agents: number
  archives: number
  folders: number
  groups: number
  identities: number
}

const BATCH = 500
const TOOLS = 30
const GROUP_AGENTS = 5
const BLOCK_SHARERS = 10

const range = (length: number) => Array.from({ length }, (_, n) => n)

/** Inserts rows of equal keys, a batch a statement. */
async function insert(database: Database, table: string, rows: readonly object[]): Promise<void> {
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows.slice(start, start + BATCH)
    const columns = sql.join(Object.keys(batch[0]!).map((column) => sql.ref(column)))
    await sql`insert into ${sql.table(table)} (${columns})
      select ${columns} from jsonb_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(batch)}::jsonb)
    `.execute(database.kysely)
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
  onAgents: (made: number) => void = () => {},
): Promise<void> {
  const organization_id = owner.organizationId
  const random = createRandom(size.agents)
  const folders = range(size.folders).map((n) => make.folderRow(owner, random, n))
  const identities = range(size.identities).map((n) => make.identityRow(owner, n))
  const tools = range(TOOLS).map((n) => make.toolRow(owner, random, n))
  const { rows: builtin } = await sql<{ id: string }>`
    select id from tools where organization_id = ${organization_id} order by id`.execute(database.kysely)
  await insert(
    database,
    'archives',
    range(size.archives).map((n) => make.archiveRow(owner, random, n)),
  )
  await insert(database, 'folders', folders)
  await insert(database, 'identities', identities)
  await insert(database, 'tools', tools)

  /** Three tools of the organization's own and two of the built-in ones. */
  const toolsOf = (n: number) => {
    const own = range(5).map((k) => tools[(n * 3 + k * 7) % TOOLS]!.id)
    const given = range(2).flatMap((k) => builtin[(n + k) % builtin.length]?.id ?? [])
    return [...given, ...own].slice(0, 5)
  }

  const agentIds: string[] = []
  let shared = make.blockRow(owner, random, 'team')
  for (let start = 0; start < size.agents; start += BATCH) {
    const numbers = range(Math.min(BATCH, size.agents - start)).map((n) => start + n)
    const agents = numbers.map((n) => make.agentRow(owner, random, n))
    const blocks: (typeof shared)[] = []
    const attached = agents.flatMap(({ id: agent_id }, n) => {
      const own = ['persona', 'human'].map((label) => make.blockRow(owner, random, label))
      if (n % BLOCK_SHARERS === 0) {
        shared = make.blockRow(owner, random, 'team')
        blocks.push(shared)
      }
      blocks.push(...own)
      return [...own, shared].map(({ id, label }) => ({ organization_id, agent_id, block_id: id, block_label: label }))
    })
    const each = <T>(of: (n: number, agent_id: string) => T[]) =>
      agents.flatMap(({ id }, n) => of(start + n, id).map((link) => ({ organization_id, agent_id: id, ...link })))
    await insert(database, 'agents', agents)
    await insert(database, 'blocks', blocks)
    await insert(database, 'agents_blocks', attached)
    await insert(
      database,
      'agents_tools',
      each((n) => toolsOf(n).map((tool_id) => ({ tool_id }))),
    )
    await insert(
      database,
      'agents_identities',
      each((n) => [{ identity_id: identities[n % identities.length]!.id }]),
    )
    await insert(
      database,
      'agents_folders',
      each((n) => (n % 10 === 0 ? [{ source_id: folders[(n / 10) % folders.length]!.id }] : [])),
    )
    await insert(
      database,
      'agent_environment_variables',
      agents.flatMap(({ id }) =>
        ['API_TOKEN', 'BASE_URL'].map((key) =>
          // The context is the server's: with another it could not decrypt, and the run would fail.
          make.secretRow(owner, id, key, cipher.encrypt(`${key}-of-${id}`, `${organization_id}/${id}/${key}`)),
        ),
      ),
    )
    agentIds.push(...agents.map(({ id }) => id))
    onAgents(agentIds.length)
  }

  const step = Math.floor(size.agents / size.groups)
  const groups = range(size.groups).map((n) => make.groupRow(owner, random, n % 2 ? agentIds[n * step]! : null))
  await insert(database, 'groups', groups)
  await insert(
    database,
    'groups_agents',
    groups.flatMap(({ id: group_id }, n) =>
      range(GROUP_AGENTS).map((k) => ({ organization_id, group_id, agent_id: agentIds[n * step + k]! })),
    ),
  )
}
