import type { Scope } from '../../db/scope.ts'
import { newId } from '../../lib/ids.ts'
import type { CreateAgent } from '../agents/body.ts'
import { makeAgent } from '../agents/create.ts'
import type { ToolRule } from '../agents/tool-rules.ts'
import { toolsByName } from '../tools/tools.ts'
import type { CreateTemplateAgents } from './body.ts'
import { configurationOf } from './configuration.ts'
import { type Named, templateNamed } from './named.ts'
import type { Template, TemplateVersion } from './schema.ts'
import { fill } from './variables.ts'
import { versionOf } from './versions.ts'

/** The tool rules of a template whose tools still exist. */
export async function standingRules(tx: Scope, rules: readonly ToolRule[]): Promise<ToolRule[]> {
  const known = await toolsByName(
    tx,
    rules.map(({ tool_name }) => tool_name),
  )
  return rules.filter(({ tool_name }) => known.has(tool_name))
}

/** The columns of an agent or a block that refer to its template. */
export const originOf = (template: Template, version: TemplateVersion, deploymentId: string, entityId: string) => ({
  project_id: template.project_id,
  template_id: version.id,
  base_template_id: template.id,
  deployment_id: deploymentId,
  entity_id: entityId,
})

/**
 * Makes an agent from a version of a template, with its blocks and attachments, in one transaction. Tags, identities and
 * variables of the request are added to those of the template. 404 for a missing template, version or identity; 422 as `fill`.
 */
export const deploy = (
  scope: Scope,
  named: Named,
  version: string,
  body: CreateTemplateAgents,
  defaultModel: string,
): Promise<{ agent_ids: string[]; deployment_id: string; group_id: null }> =>
  scope.transaction(async (tx) => {
    const template = await templateNamed(tx, named)
    const found = await versionOf(tx, template, version)
    const { agent, blocks, memory_defaults, tool_ids, folder_ids, identity_ids } = await configurationOf(tx, found)
    const { name: _, entity_id, tags, tool_rules, ...settings } = agent
    const memory_variables = body?.memory_variables ?? {}
    const deployment_id = newId('deployment')
    const create: CreateAgent = {
      ...settings,
      ...originOf(template, found, deployment_id, entity_id),
      name: body?.agent_name,
      tags: [...tags, ...(body?.tags ?? [])],
      memory_blocks: fill(blocks, { ...memory_defaults, ...memory_variables }).map(({ entity_id, ...block }) => ({
        ...block,
        ...originOf(template, found, deployment_id, entity_id),
      })),
      tool_ids,
      folder_ids,
      identity_ids: [...new Set([...identity_ids, ...(body?.identity_ids ?? [])])],
      include_base_tools: false,
      include_base_tool_rules: false,
      tool_rules: await standingRules(tx, tool_rules ?? []),
      secrets: body?.tool_variables,
      initial_message_sequence: body?.initial_message_sequence,
    }
    const id = await makeAgent(tx, create, defaultModel, { memory_variables })
    return { agent_ids: [id], deployment_id, group_id: null }
  })
