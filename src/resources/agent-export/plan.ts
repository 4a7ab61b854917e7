import type { Scope } from '../../db/scope.ts'
import { inBody, invalid } from '../../lib/errors.ts'
import { catalogFor, modelOf } from '../agents/model.ts'
import { withModel } from '../agents/new-agent.ts'
import { newGroup } from '../groups/groups.ts'
import type { CreateGroup } from '../groups/schema.ts'
import { embeddingConfigIn } from '../models/handles.ts'
import { bodyOf, usableEmbedding } from './agent-body.ts'
import type { AgentFileParts, GroupEntry, Placed } from './entry-schema.ts'
import { planAgent, planBlock } from './plan-agent.ts'
import {
  type ImportOptions,
  type ImportPlan,
  type PlanContext,
  type PlannedAgent,
  type PlannedGroup,
  planContext,
} from './plan-context.ts'
import { planFile, planFolder } from './plan-files.ts'

/** The group of an entry, whose members are among `agents`. */
function planGroup(
  { at, id, agent_ids, shared_block_ids, manager_config, ...body }: Placed<GroupEntry>,
  agents: readonly PlannedAgent[],
  { ids, issues }: PlanContext,
): PlannedGroup | undefined {
  return issues.at(at, () => {
    const managerId = manager_config?.manager_agent_id
    const manager = manager_config && {
      ...manager_config,
      ...(managerId && { manager_agent_id: ids.agents.get(managerId)! }),
    }
    const members = [...new Set(agent_ids)].map((member) => ids.agents.get(member)!)
    if (manager?.manager_type === 'dynamic') {
      const isMember = new Set(members)
      checkNames(agents.filter(({ row }) => isMember.has(row.id)))
    }
    return {
      row: {
        ...newGroup({ ...body, manager_config: manager } as Omit<CreateGroup, 'agent_ids'>),
        id: ids.groups.get(id)!,
      },
      agent_ids: members,
      shared_block_ids: [...new Set(shared_block_ids)].map((block) => ids.blocks.get(block)!),
    }
  })
}

/** 422 for two members of one name. */
function checkNames(members: readonly PlannedAgent[]): void {
  if (new Set(members.map(({ row }) => row.name)).size < members.length) {
    throw invalid(inBody('agent_ids', "has agents of the same name: a dynamic manager can't tell them apart"))
  }
}

/** Plans the rows of a file under these options. 422 with the place of every issue. */
export async function planImport(
  scope: Scope,
  file: AgentFileParts,
  options: ImportOptions,
  defaultModel: string,
): Promise<ImportPlan> {
  const overrides = { model: options.model, embedding: options.embedding }
  const agentBodies = file.agents.map((agent) => withModel(bodyOf(agent, options), defaultModel))
  const folderBodies = file.sources.map((source) =>
    options.embedding ? { embedding: options.embedding } : usableEmbedding(source),
  )
  const catalog = await catalogFor(scope, [overrides, ...agentBodies, ...folderBodies])
  if (options.model) modelOf(catalog, overrides, undefined)
  if (options.embedding) embeddingConfigIn(catalog, overrides)

  const context = planContext(file, { options, defaultModel, catalog })
  const blocks = file.blocks.flatMap(
    ({ at, id, ...body }) => planBlock(at, context.ids.blocks.get(id)!, body, context) ?? [],
  )
  const folders = file.sources.flatMap((source, n) => planFolder(source, folderBodies[n]!, context) ?? [])
  const files = file.files.map((entry) => planFile(entry, context.ids))
  const agents = file.agents.flatMap((agent, n) => planAgent(agent, agentBodies[n]!, context) ?? [])
  const groups = file.groups.flatMap((group) => planGroup(group, agents, context) ?? [])
  context.issues.check()
  return { agents, blocks: [...blocks, ...agents.flatMap((agent) => agent.blocks)], folders, files, groups }
}
