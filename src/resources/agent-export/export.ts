import type { Scope } from '../../db/scope.ts'
import { agentEntry } from './agent-entry.ts'
import { blockEntry, fileEntry, folderEntry, groupEntry, toolEntry } from './entries.ts'
import { numberContents } from './file-ids.ts'
import { type ExportData, loadExport } from './load.ts'
import { serverEntry } from './mcp-servers.ts'
import type { AgentFile, ExportQuery } from './schema.ts'

/** The name of this server's revision of the format. */
const REVISION = 'cairn-1'

/**
 * The file of an agent: with its messages, blocks, tools and folders, the groups it manages, and the agents of those. Of
 * secrets it has the names alone. 404.
 */
export const exportAgent = (scope: Scope, id: string, query: ExportQuery): Promise<AgentFile> =>
  // One state of the database: no row refers to another that was deleted meanwhile.
  scope.snapshot(async (snapshot) => toAgentFile(await loadExport(snapshot, id, query)))

function toAgentFile(data: ExportData): AgentFile {
  const ids = numberContents(data)
  const messages = Map.groupBy(data.messages, ({ agent_id }) => agent_id)
  const openFiles = Map.groupBy(data.openFiles, ({ agent_id }) => agent_id)
  const own = (id: string) => ({ messages: messages.get(id) ?? [], openFiles: openFiles.get(id) ?? [] })
  return {
    agents: data.agents.map((agent) => agentEntry(agent, own(agent.row.id), ids)),
    groups: data.groups.map((group) => groupEntry(group, ids)),
    blocks: data.blocks.map((block) => blockEntry(block, ids)),
    files: data.files.map((file) => fileEntry(file, ids)),
    sources: data.folders.map((folder) => folderEntry(folder, ids)),
    tools: data.tools.map((tool) => toolEntry(tool, ids)),
    mcp_servers: data.mcpServers.map(serverEntry),
    skills: [],
    metadata: { revision_id: REVISION },
    created_at: new Date().toISOString(),
  }
}
