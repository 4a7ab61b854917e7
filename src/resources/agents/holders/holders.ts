import { sql } from 'kysely'
import type { Rendered } from '../../../db/render/rendered.ts'
import type { Rendering } from '../../../db/render/rendering.ts'
import type { Scope } from '../../../db/scope.ts'
import type { ToolHolders } from '../../tools/tools.ts'
import { folderVerbs } from '../attachments/attachments.ts'
import { agentTools } from '../links.ts'
import { agents } from '../schema.ts'
import { renameInRules } from '../tools/rules.ts'
import { lockHolders } from './lock.ts'
import type { ListAgentIds } from './schema.ts'

/** Detaches a folder from every agent that has it. Inside the scope's transaction, which has locked the folder. */
export async function detachFolderFromAgents(tx: Scope, folderId: string): Promise<void> {
  for (const id of await lockHolders(tx, 'agents_folders', 'source_id', folderId)) {
    await folderVerbs.detach(tx.withoutIfMatch(), id, folderId)
  }
}

async function detachTool(tx: Scope, toolId: string): Promise<void> {
  for (const id of await lockHolders(tx, 'agents_tools', 'tool_id', toolId)) await tx.detach(agentTools, id, toolId)
}

/** The agents' side of changes of tools. */
export const toolHolders: ToolHolders = { detachTool, renameTool: renameInRules }

/** The rendering of an agent's id alone. */
const ID: Rendering<string> = { cacheKey: 'id', build: () => ({ json: sql`to_json(agents.id)::text` }) }

/** The ids of the agents a folder is attached to, newest agent first. 404 for a folder the organization doesn't have. */
export async function listAgentIdsOfFolder(scope: Scope, id: string, page: ListAgentIds): Promise<Rendered<string[]>> {
  await scope.exists('folders', id)
  const attached = sql<boolean>`exists (select from agents_folders as link
    where link.organization_id = ${scope.organizationId} and link.agent_id = agents.id and link.source_id = ${id})`
  return scope.list(agents, page, (query) => query.where(attached), ID)
}
