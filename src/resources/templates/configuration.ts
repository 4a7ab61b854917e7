import type { Link, LinkChange } from '../../db/link.ts'
import type { Scope } from '../../db/scope.ts'
import { newId } from '../../lib/ids.ts'
import { loadAgent } from '../agents/load.ts'
import { agents } from '../agents/schema.ts'
import type { AgentRow } from '../agents/table.ts'
import type { Block } from '../blocks/schema.ts'
import {
  type Configuration,
  KEPT,
  type TemplateAgent,
  type TemplateBlock,
  type TemplateVersion,
  templateVersions,
} from './schema.ts'

const of = (name: string, targetColumn: string): Link => ({
  table: `template_versions_${name}`,
  owner: templateVersions,
  ownerColumn: 'template_version_id',
  targetColumn,
})

/** The attachments of a version, by field of its configuration. */
const versionLinks = {
  tool_ids: of('tools', 'tool_id'),
  folder_ids: of('folders', 'source_id'),
  identity_ids: of('identities', 'identity_id'),
} as const

/** The limit of a block that has none. */
const MAX_LIMIT = 2_147_483_647

const FIELDS = Object.keys(versionLinks) as (keyof typeof versionLinks)[]

/** The settings of an agent that a template stores, without those that have no value. */
const settingsIn = (row: AgentRow): Omit<TemplateAgent, 'entity_id'> =>
  Object.fromEntries(
    KEPT.filter((field) => row[field] !== undefined && row[field] !== null).map((field) => [field, row[field]]),
  ) as Omit<TemplateAgent, 'entity_id'>

/** The block of a template that is made from an agent's block. */
function templateBlock(block: Block): TemplateBlock {
  const { value, limit = MAX_LIMIT, description, metadata, read_only, hidden, tags, preserve_on_migration } = block
  const settings = { value, limit, description, metadata, read_only, hidden, tags, preserve_on_migration }
  return { ...settings, entity_id: newId('entity'), label: block.label ?? block.id } as TemplateBlock
}

/** The configuration of a template that is made from an agent: settings, blocks with values, attachments. 404. */
export async function configurationOfAgent(tx: Scope, agentId: string): Promise<Configuration> {
  // The lock keeps the agent from changing between the statements.
  await tx.withoutIfMatch().lock(agents, agentId)
  const agent = await loadAgent(tx, agentId)
  return {
    agent: { ...settingsIn(agent.row), entity_id: newId('entity') },
    blocks: agent.blocks.map(templateBlock),
    memory_defaults: {},
    tool_variables: agent.secret_names.toSorted(),
    tool_ids: agent.tools.map(({ id }) => id),
    folder_ids: agent.folders.map(({ id }) => id),
    identity_ids: agent.identity_ids,
  }
}

/** The configuration of a version. Three statements. */
export async function configurationOf(scope: Scope, version: TemplateVersion): Promise<Configuration> {
  const { id, agent, blocks, memory_defaults, tool_variables } = version
  const [tool_ids, folder_ids, identity_ids] = [
    await scope.linkedIds(versionLinks.tool_ids, id),
    await scope.linkedIds(versionLinks.folder_ids, id),
    await scope.linkedIds(versionLinks.identity_ids, id),
  ]
  return { agent, blocks, memory_defaults, tool_variables, tool_ids, folder_ids, identity_ids }
}

/** Whether two configurations that were read from the database are equal. */
export const same = (one: Configuration, other: Configuration) => JSON.stringify(one) === JSON.stringify(other)

/** Makes a version of this configuration. 404 for an attachment that the organization doesn't have. */
export async function insertVersion(
  tx: Scope,
  { agent, blocks, memory_defaults, tool_variables, ...attached }: Configuration,
  columns: Pick<TemplateVersion, 'template_id' | 'number' | 'based_on' | 'message'>,
): Promise<TemplateVersion> {
  const attachments = FIELDS.map((field) => [versionLinks[field], attached[field]] as const)
  return tx.insert(templateVersions, { ...columns, agent, blocks, memory_defaults, tool_variables }, attachments)
}

/** Replaces the configuration of a version. 404 as `insertVersion`. */
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
