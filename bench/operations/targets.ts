import { sql } from 'kysely'
import type { Database } from '../../src/db/engine/database.ts'

const MAX_BLOCKS = 5_000
const DEEP_POSITION = 9_000

/** The ids that the operations read and change. */
export interface Targets {
  /** An agent deep in the list: the 9,000th, or the one after nine tenths of fewer agents. */
  deepAgentId: string
  groupId: string
  blockIds: string[]
  /** Tools of the organization in which agents are created. */
  toolIds: string[]
}

/** Finds the ids that the operations need. */
export async function findTargets(
  database: Database,
  organizationId: string,
  otherOrganizationId: string,
  agents: number,
): Promise<Targets> {
  const ids = async (select: ReturnType<typeof sql<{ id: string }>>) =>
    (await select.execute(database.kysely)).rows.map(({ id }) => id)
  const position = Math.min(DEEP_POSITION, Math.floor(agents * 0.9))
  const [deepAgentId] = await ids(sql`select id from agents where organization_id = ${organizationId}
    order by created_at desc, id desc offset ${position - 1} limit 1`)
  const [groupId] = await ids(sql`select id from groups where organization_id = ${organizationId} limit 1`)
  const blockIds = await ids(sql`select id from blocks where organization_id = ${organizationId}
    order by md5(id) limit ${MAX_BLOCKS}`)
  const toolIds = await ids(sql`select id from tools where organization_id = ${otherOrganizationId} limit 5`)
  return { deepAgentId: deepAgentId!, groupId: groupId!, blockIds, toolIds }
}
