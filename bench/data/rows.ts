import { instantOf, newId, type Prefix } from '../../src/lib/ids.ts'
import { DEFAULT_EMBEDDING } from '../../src/resources/models/handles.ts'
import { prose, type Random } from './prose.ts'

/** The rows of the benchmark's data, with texts about as long as in use. */

export interface Owner {
  organizationId: string
  userId: string
}

/** The columns of every owned row. As on the server, `created_at` is the instant in the id. */
function owned(owner: Owner, prefix: Prefix) {
  const id = newId(prefix)
  const now = instantOf(id)!.toISOString()
  return {
    organization_id: owner.organizationId,
    id,
    created_at: now,
    updated_at: now,
    created_by_id: owner.userId,
    last_updated_by_id: owner.userId,
  }
}

/** The columns of a row with an ETag. */
export const versioned = (owner: Owner, prefix: Prefix) => ({ ...owned(owner, prefix), version: 1 })

/** An archive with the built-in embedding model. */
export const archiveRow = (owner: Owner, random: Random, n: number) => ({
  ...versioned(owner, 'archive'),
  name: `Archive ${n}`,
  description: prose(random, 80),
  embedding_config: DEFAULT_EMBEDDING,
  metadata: { team: `team-${n % 20}` },
  vector_db_provider: 'native',
})

/** A folder with instructions for the agents. */
export const folderRow = (owner: Owner, random: Random, n: number) => ({
  ...versioned(owner, 'source'),
  name: `Folder ${n}`,
  description: prose(random, 80),
  instructions: prose(random, 160),
  embedding_config: DEFAULT_EMBEDDING,
  metadata: { team: `team-${n % 20}` },
  vector_db_provider: 'native',
})

/** An identity with one property. */
export const identityRow = (owner: Owner, n: number) => ({
  ...versioned(owner, 'identity'),
  identifier_key: `customer-${n}`,
  name: `Customer ${n}`,
  identity_type: 'user',
  properties: [{ key: 'plan', type: 'string', value: n % 3 === 0 ? 'team' : 'single' }],
})

/** A custom Python tool with four described parameters. */
export function toolRow(owner: Owner, random: Random, n: number) {
  const name = `look_up_${n}`
  const parameters = Object.fromEntries(
    ['query', 'since', 'limit', 'tag'].map((field) => [field, { type: 'string', description: prose(random, 90) }]),
  )
  return {
    ...versioned(owner, 'tool'),
    name,
    tool_type: 'custom',
    description: prose(random, 120),
    source_type: 'python',
    source_code: `def ${name}(query: str, since: str, limit: str, tag: str) -> str:\n    """${prose(random, 600)}"""\n    return query\n`,
    json_schema: {
      name,
      description: prose(random, 120),
      parameters: { type: 'object', properties: parameters, required: ['query'] },
    },
    tags: ['bench'],
    return_char_limit: 50_000,
    enable_parallel_execution: false,
  }
}

/** A block with a value of 300 characters. */
export const blockRow = (owner: Owner, random: Random, label: string) => ({
  ...versioned(owner, 'block'),
  value: prose(random, 300),
  label,
  limit: 100_000,
  description: prose(random, 60),
  metadata: {},
  read_only: false,
  tags: [],
})

/** A group with the given manager agent, or a round robin without one. */
export const groupRow = (owner: Owner, random: Random, managerId: string | null) => ({
  ...versioned(owner, 'group'),
  manager_type: managerId ? 'supervisor' : 'round_robin',
  description: prose(random, 100),
  manager_agent_id: managerId,
  max_turns: 10,
})

/** A secret of an agent, with its encrypted value. */
export const secretRow = (owner: Owner, agentId: string, key: string, value_enc: string) => ({
  ...owned(owner, 'agent-env'),
  agent_id: agentId,
  key,
  value_enc,
})
