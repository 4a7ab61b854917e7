import { sql } from 'kysely'
import type { Scope } from '../../../db/scope.ts'
import { ApiError } from '../../../lib/errors.ts'
import { tools } from '../../tools/schema.ts'
import { agentTools } from '../links.ts'
import { agents } from '../schema.ts'
import { withApproval } from './rules.ts'
import type { ListAgentTools } from './schema.ts'

const attachedTo = (scope: Scope, agentId: string) => sql<boolean>`exists (select from agents_tools link
  where link.organization_id = ${scope.organizationId} and link.tool_id = tools.id and link.agent_id = ${agentId})`

/** The tools of an agent, newest first. 404 for an agent the organization doesn't have. */
export async function listAgentTools(scope: Scope, agentId: string, page: ListAgentTools) {
  await scope.exists('agents', agentId)
  return scope.list(tools, page, (query) => query.where(attachedTo(scope, agentId)))
}

/** Adds or removes the rule that calls of a tool need approval. The agent must be locked. */
async function setRule(tx: Scope, agentId: string, toolName: string, wanted: boolean): Promise<void> {
  const { tool_rules } = await tx.get(agents, agentId)
  // The lock has checked If-Match; the attachment made since may have raised the version.
  await tx.withoutIfMatch().update(agents, agentId, { tool_rules: withApproval(tool_rules ?? [], toolName, wanted) })
}

/**
 * Attaches a tool to an agent, with the rule that its calls need approval if the tool asks for it. Attached already, it
 * leaves everything as it is. 404 when either isn't there.
 */
export async function attachTool(scope: Scope, agentId: string, toolId: string): Promise<void> {
  await scope.locking(agents, agentId, async (tx) => {
    const tool = await tx.get(tools, toolId)
    const added = await tx.attach(agentTools, agentId, toolId)
    if (added && tool.default_requires_approval) await setRule(tx, agentId, tool.name!, true)
  })
}

/** Detaches a tool from an agent; the agent's rules stay. Not attached, it changes nothing. 404 when either isn't there. */
export async function detachTool(scope: Scope, agentId: string, toolId: string): Promise<void> {
  await scope.locking(agents, agentId, async (tx) => {
    await tx.exists('tools', toolId)
    await tx.detach(agentTools, agentId, toolId)
  })
}

/** Says whether an agent's calls of a tool need approval. 404 for an unknown agent, or a tool it doesn't have. */
export async function setApproval(scope: Scope, agentId: string, toolName: string, wanted: boolean): Promise<void> {
  await scope.locking(agents, agentId, async (tx) => {
    const found = await tx.count(tools, (query) =>
      query.where('tools.name', '=', toolName).where(attachedTo(tx, agentId)),
    )
    if (found === 0) throw new ApiError('not_found', `Agent ${agentId} has no tool named ${toolName}.`)
    await setRule(tx, agentId, toolName, wanted)
  })
}
