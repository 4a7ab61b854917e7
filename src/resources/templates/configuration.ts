import { sql } from 'kysely'
import type { LinkChange } from '../../db/link.ts'
import type { Scope } from '../../db/scope.ts'
import { newId } from '../../lib/ids.ts'
import { agentBlocks, agentFolders, agentIdentities, agentTools } from '../agents/links.ts'
import { agents } from '../agents/schema.ts'
import { blocks } from '../blocks/schema.ts'
import { versionLinks } from './links.ts'
import {
  type Configuration,
  KEPT,
  type TemplateAgent,
  type TemplateBlock,
  type TemplateVersion,
  templateVersions,
} from './schema.ts'

/** The limit of a block that has none. */
const MAX_LIMIT = 2_147_483_647

const FIELDS = Object.keys(versionLinks) as (keyof typeof versionLinks)[]

/** The settings among these fields that have a value. */
const kept = (row: Record<string, unknown>): Omit<TemplateAgent, 'entity_id'> =>
  Object.fromEntries(
    KEPT.filter((field) => row[field] !== undefined && row[field] !== null).map((field) => [field, row[field]]),
  ) as Omit<TemplateAgent, 'entity_id'>

/** What a template of an agent holds: its settings, its blocks with their values, and what is attached. 404. */
export async function configurationOfAgent(tx: Scope, agentId: string): Promise<Configuration> {
  // Held, so that what is read of it belongs together.
  await tx.withoutIfMatch().lock(agents, agentId)
  const agent = await tx.get(agents, agentId)
  const [own] = await tx.query<{ tags: string[]; keys: string[] }>(sql`
    select tags, (select coalesce(jsonb_agg(key order by key), '[]') from agent_environment_variables as env
      where env.organization_id = agents.organization_id and env.agent_id = agents.id) as keys
    from agents where organization_id = ${tx.organizationId} and id = ${agentId}`)
  const blockIds = await tx.linkedIds(agentBlocks, agentId)
  const held = await tx.select(blocks, (query) => query.where(sql<boolean>`blocks.id = any(${blockIds}::text[])`))
  const byId = new Map(held.map((block) => [block.id!, block]))
  return {
    agent: { ...kept({ ...agent, tags: own!.tags }), entity_id: newId('entity') },
    blocks: blockIds.flatMap((id): TemplateBlock[] => {
      const block = byId.get(id)
      if (!block) return []
      const { value, limit = MAX_LIMIT, description, metadata, read_only, hidden, tags, preserve_on_migration } = block
      const settings = { value, limit, description, metadata, read_only, hidden, tags, preserve_on_migration }
      return [{ ...settings, entity_id: newId('entity'), label: block.label ?? id } as TemplateBlock]
    }),
    memory_defaults: {},
    tool_variables: own!.keys,
    tool_ids: await tx.linkedIds(agentTools, agentId),
    folder_ids: await tx.linkedIds(agentFolders, agentId),
    identity_ids: await tx.linkedIds(agentIdentities, agentId),
  }
}

/** All that a version holds, by three statements beside its own. */
export async function configurationOf(scope: Scope, version: TemplateVersion): Promise<Configuration> {
  const { id, agent, blocks, memory_defaults, tool_variables } = version
  const [tool_ids, folder_ids, identity_ids] = [
    await scope.linkedIds(versionLinks.tool_ids, id),
    await scope.linkedIds(versionLinks.folder_ids, id),
    await scope.linkedIds(versionLinks.identity_ids, id),
  ]
  return { agent, blocks, memory_defaults, tool_variables, tool_ids, folder_ids, identity_ids }
}

/** Whether two configurations that were read from the database are the same. */
export const same = (one: Configuration, other: Configuration) => JSON.stringify(one) === JSON.stringify(other)

/** Makes a version that holds this. 404 for anything attached that the organization doesn't have. */
export async function insertVersion(
  tx: Scope,
  { agent, blocks, memory_defaults, tool_variables, ...attached }: Configuration,
  columns: Pick<TemplateVersion, 'template_id' | 'number' | 'based_on' | 'message'>,
): Promise<TemplateVersion> {
  const added: LinkChange[] = FIELDS.map((field) => ({
    table: versionLinks[field].table,
    added: attached[field],
    removed: [],
  }))
  const version = await tx.insert(
    templateVersions,
    { ...columns, agent, blocks, memory_defaults, tool_variables },
    added.filter((change) => change.added.length > 0),
  )
  for (const field of FIELDS) await tx.linkMany(versionLinks[field], new Map([[version.id, attached[field]]]))
  return version
}

/** Makes a version hold this instead. Returns whether that changed anything. 404 as `insertVersion`. */
export async function replaceVersion(
  tx: Scope,
  id: string,
  { agent, blocks, memory_defaults, tool_variables, ...attached }: Configuration,
  based_on?: number,
): Promise<void> {
  const links: LinkChange[] = []
  for (const field of FIELDS) links.push(...(await tx.setLinks(versionLinks[field], id, attached[field])))
  await tx.update(templateVersions, id, { agent, blocks, memory_defaults, tool_variables, based_on }, links)
}
