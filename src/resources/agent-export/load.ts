import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import type { FileAgentRow } from '../agents/files/table.ts'
import { type AgentWithRelations, loadAgents } from '../agents/load.ts'
import { type Block, blocks } from '../blocks/schema.ts'
import type { Folder } from '../folders/schema.ts'
import type { FileRow } from '../folders/table.ts'
import type { Group } from '../groups/schema.ts'
import type { MessageRow } from '../messages/table.ts'
import type { Tool } from '../tools/schema.ts'
import { type FiledServer, serversOf } from './mcp-servers.ts'
import type { ExportQuery } from './schema.ts'

export type OpenFile = FileAgentRow & { file_name: string | undefined }

/** The contents of an agent file, each list in the order of the file. */
export interface ExportData {
  agents: AgentWithRelations[]
  groups: Group[]
  blocks: Block[]
  tools: Tool[]
  folders: Folder[]
  files: FileRow[]
  openFiles: OpenFile[]
  messages: MessageRow[]
  mcpServers: FiledServer[]
}

/**
 * Loads an agent, the groups it manages, their members, the groups that those manage, and so on, with everything attached to
 * these agents. The agent comes first. 404. A constant number of statements.
 */
export async function loadExport(tx: Scope, id: string, query: ExportQuery): Promise<ExportData> {
  const organization = tx.organizationId
  const agents = await loadAgents(tx, await involvedAgents(tx, id))
  const ids = agents.map(({ row }) => row.id)
  const groups = agents.flatMap((agent) => agent.managed_groups)
  const folders = unique(agents.flatMap((agent) => agent.folders))
  const folderIds = folders.map((folder) => folder.id)
  const tools = unique(agents.flatMap((agent) => agent.tools))
  const shared = await selectBlocks(tx, [...new Set(groups.flatMap((group) => group.shared_block_ids ?? []))])
  const files = await tx.query(sql<FileRow>`
    select * from files where organization_id = ${organization} and source_id = any(${folderIds}::text[])
    order by array_position(${folderIds}::text[], source_id), created_at, id`)
  const fileNames = new Map(files.map((file) => [file.id, file.file_name]))
  const openFiles = await tx.query(sql<FileAgentRow>`
    select * from files_agents where organization_id = ${organization} and agent_id = any(${ids}::text[])
    order by created_at, id`)
  return {
    agents,
    groups,
    blocks: unique([...agents.flatMap((agent) => agent.blocks), ...shared]),
    tools,
    folders,
    files,
    openFiles: openFiles.map((row) => ({ ...row, file_name: fileNames.get(row.file_id) })),
    messages: await selectMessages(tx, agents, query),
    mcpServers: await serversOf(tx, tools),
  }
}

/** The ids of the agent and of the agents that it manages, directly or not. The agent comes first. 404. */
async function involvedAgents(tx: Scope, id: string): Promise<string[]> {
  const organization = tx.organizationId
  const found = await tx.query(sql<{ id: string }>`
    with recursive involved (id) as (
      select id from agents where organization_id = ${organization} and id = ${id}
      union select members.agent_id from involved
        join groups on groups.organization_id = ${organization} and groups.manager_agent_id = involved.id
        join groups_agents as members on members.organization_id = ${organization} and members.group_id = groups.id
    )
    select id from agents join involved using (id) where agents.organization_id = ${organization}
    order by id <> ${id}, created_at, id`)
  if (found[0]?.id !== id) throw notFound('agent', id)
  return found.map((agent) => agent.id)
}

const unique = <T extends { id?: string }>(rows: readonly T[]) => [
  ...new Map(rows.map((row) => [row.id, row])).values(),
]

/** The blocks with these ids, in the order of the ids. */
const selectBlocks = (tx: Scope, ids: readonly string[]): Promise<Block[]> =>
  tx.select(blocks, (query) =>
    query.where(sql<boolean>`blocks.id = any(${ids}::text[])`).orderBy(sql`array_position(${ids}::text[], blocks.id)`),
  )

async function selectMessages(
  tx: Scope,
  agents: readonly AgentWithRelations[],
  { scrub_messages, max_steps }: ExportQuery,
): Promise<MessageRow[]> {
  if (scrub_messages) return []
  const messages = await tx.query(sql<MessageRow>`
    select * from messages where organization_id = ${tx.organizationId}
      and agent_id = any(${agents.map(({ row }) => row.id)}::text[]) and conversation_id is null
    order by created_at, id`)
  return max_steps === undefined ? messages : recentMessages(messages, agents, max_steps)
}

/** The messages in context, and those since the last `steps` messages of a user. */
function recentMessages(
  messages: readonly MessageRow[],
  agents: readonly AgentWithRelations[],
  steps: number,
): MessageRow[] {
  const inContext = new Set(agents.flatMap(({ row }) => row.message_ids))
  const stepsByAgent = new Map<string, number>()
  return messages
    .toReversed()
    .filter(({ id, agent_id, role }) => {
      const passed = stepsByAgent.get(agent_id) ?? 0
      if (role === 'user') stepsByAgent.set(agent_id, passed + 1)
      return passed < steps || inContext.has(id)
    })
    .reverse()
}
