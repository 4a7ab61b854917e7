import type { Scope } from '../../db/scope.ts'
import { catalogFor, embeddingOf, modelOf } from '../agents/model.ts'
import { withModel } from '../agents/new-agent.ts'
import { bodyOf, usableEmbedding } from './agent-body.ts'
import type { AgentFileParts } from './entry-schema.ts'
import { planAgent, planBlock } from './plan-agent.ts'
import { type ImportOptions, type ImportPlan, planContext } from './plan-context.ts'
import { planFile, planFolder } from './plan-files.ts'
import { planGroup } from './plan-group.ts'

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
  if (options.embedding) embeddingOf(catalog, overrides)

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
