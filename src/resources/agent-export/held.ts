import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { notFound } from '../../lib/errors.ts'
import type { FileAgentRow } from '../agents/files/table.ts'
import { agentBlocks, agentFolders, agentTools } from '../agents/links.ts'
import type { NewMessage } from '../agents/messages.ts'
import type { AgentRow } from '../agents/table.ts'
import { type Block, blocks } from '../blocks/schema.ts'
import { type Folder, folders } from '../folders/schema.ts'
import type { FileRow } from '../folders/table.ts'
import { type Group, groups } from '../groups/schema.ts'
import { type Tool, tools } from '../tools/schema.ts'
import type { ExportQuery } from './schema.ts'

type MessageRow = NewMessage & { agent_id: string; created_at: string }

/** What an agent file is made of, in the order it is told in. */
export interface Held {
  agents: AgentRow[]
  groups: Group[]
  blocks: Block[]
  tools: Tool[]
  folders: Folder[]
  files: FileRow[]
  openFiles: FileAgentRow[]
  messages: MessageRow[]
  attached: Record<'blocks' | 'tools' | 'folders', Map<string, string[]>>
  secrets: Map<string, string[]>
}

/**
 * What the file of an agent is made of: the agent, the groups it manages, their members and what those manage, and what
 * is attached to all of them. The agent comes first. 404. A dozen statements, however much there is.
 */
export async function load(tx: Scope, id: string, { scrub_messages, max_steps }: ExportQuery): Promise<Held> {
  const organization = tx.organizationId
  const found = await tx.query(sql<AgentRow>`
    with recursive involved (id) as (
      select id from agents where organization_id = ${organization} and id = ${id}
      union select members.agent_id from involved
        join groups on groups.organization_id = ${organization} and groups.manager_agent_id = involved.id
        join groups_agents as members on members.organization_id = ${organization} and members.group_id = groups.id
    )
    select agents.* from agents join involved using (id) where agents.organization_id = ${organization}
    order by id <> ${id}, created_at, id`)
  if (found[0]?.id !== id) throw notFound('agent', id)
  const ids = found.map((agent) => agent.id)
  const of = (column: string, among: readonly string[]) => sql<boolean>`${sql.ref(column)} = any(${among}::text[])`

  const managed = await tx.select(groups, (query) =>
    query.where(of('groups.manager_agent_id', ids)).orderBy('groups.created_at').orderBy('groups.id'),
  )
  const linked = async ({ table, targetColumn }: { table: string; targetColumn: string }) => {
    const rows = await tx.query(sql<{ owner: string; id: string }>`
      select agent_id as owner, ${sql.ref(targetColumn)} as id from ${sql.table(table)}
      where organization_id = ${organization} and agent_id = any(${ids}::text[]) order by position`)
    const byOwner = Map.groupBy(rows, ({ owner }) => owner)
    return new Map(ids.map((owner) => [owner, (byOwner.get(owner) ?? []).map((row) => row.id)]))
  }
  const attached = {
    blocks: await linked(agentBlocks),
    tools: await linked(agentTools),
    folders: await linked(agentFolders),
  }
  const all = (lists: Iterable<readonly string[]>) => [...new Set([...lists].flat())]
  const blockIds = all([...attached.blocks.values(), ...managed.map((group) => group.shared_block_ids ?? [])])
  const toolIds = all(attached.tools.values())
  const folderIds = all(attached.folders.values())
  const inOrder = <T extends { id?: string }>(order: readonly string[], rows: readonly T[]) => {
    const byId = new Map(rows.map((row) => [row.id, row]))
    return order.flatMap((wanted) => byId.get(wanted) ?? [])
  }
  const secrets = await tx.query(sql<{ agent_id: string; key: string }>`
    select agent_id, key from agent_environment_variables
    where organization_id = ${organization} and agent_id = any(${ids}::text[]) order by id`)
  const messages = scrub_messages
    ? []
    : await tx.query(sql<MessageRow>`
        select * from messages where organization_id = ${organization} and agent_id = any(${ids}::text[])
        order by created_at, id`)

  return {
    agents: found,
    groups: managed,
    attached,
    blocks: inOrder(blockIds, await tx.select(blocks, (query) => query.where(of('blocks.id', blockIds)))),
    tools: inOrder(toolIds, await tx.select(tools, (query) => query.where(of('tools.id', toolIds)))),
    folders: inOrder(folderIds, await tx.select(folders, (query) => query.where(of('folders.id', folderIds)))),
    files: await tx.query(sql<FileRow>`
      select * from files where organization_id = ${organization} and source_id = any(${folderIds}::text[])
      order by array_position(${folderIds}::text[], source_id), created_at, id`),
    openFiles: await tx.query(sql<FileAgentRow>`
      select * from files_agents where organization_id = ${organization} and agent_id = any(${ids}::text[])
      order by created_at, id`),
    messages: max_steps === undefined ? messages : recent(messages, found, max_steps),
    secrets: Map.groupBy(secrets, ({ agent_id }) => agent_id)
      .entries()
      .reduce(
        (names, [agent, rows]) =>
          names.set(
            agent,
            rows.map(({ key }) => key),
          ),
        new Map<string, string[]>(),
      ),
  }
}

/** The messages in context, and those since the last `steps` messages of a user. */
function recent(messages: readonly MessageRow[], agents: readonly AgentRow[], steps: number): MessageRow[] {
  const inContext = new Set(agents.flatMap(({ message_ids }) => message_ids))
  const asked = new Map<string, number>()
  const kept = messages.toReversed().filter(({ id, agent_id, role }) => {
    const before = asked.get(agent_id) ?? 0
    if (role === 'user') asked.set(agent_id, before + 1)
    return before < steps || inContext.has(id)
  })
  return kept.reverse()
}
