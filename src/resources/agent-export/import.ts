import { insertRecords } from '../../db/records.ts'
import type { Scope } from '../../db/scope.ts'
import { showImported } from '../agents/files/show-files.ts'
import { agentBlocks, agentFolders, agentTools } from '../agents/links.ts'
import { agents } from '../agents/schema.ts'
import { addSecrets } from '../agents/secrets.ts'
import { blocks } from '../blocks/schema.ts'
import { files } from '../folders/schema.ts'
import { groupAgents, groupBlocks } from '../groups/links.ts'
import { groups } from '../groups/schema.ts'
import { insertThreads } from '../messages/insert.ts'
import type { AgentFileParts } from './entry-schema.ts'
import { insertFolders } from './insert-folders.ts'
import { matchServers } from './mcp-servers.ts'
import { planImport } from './plan.ts'
import type { ImportOptions, ImportPlan, PlannedAgent, PlannedGroup } from './plan-context.ts'
import type { ImportedAgents } from './schema.ts'
import { settleTools } from './tools.ts'

/**
 * Makes everything an agent file holds, or nothing: one transaction, by a constant number of statements, but for the texts
 * of long conversations. 422 with the place of every issue.
 */
export async function importAgents(
  scope: Scope,
  file: AgentFileParts,
  options: ImportOptions,
  defaultModel: string,
): Promise<ImportedAgents> {
  const plan = await planImport(scope, file, options, defaultModel)
  const warnings = await scope.transaction(async (tx) => {
    // A transaction that is retried begins with the warnings of the file alone.
    const attempt = { ...file, warnings: [...file.warnings] }
    await matchServers(tx, attempt)
    const toolIds = await settleTools(tx, attempt, options.override_existing_tools)
    await tx.insertMany(blocks, plan.blocks)
    await insertFolders(tx, plan.folders)
    await tx.insertMany(files, plan.files)
    await insertAgents(tx, plan.agents, toolIds)
    await insertOpenFiles(tx, plan)
    await insertGroups(tx, plan.groups)
    await insertThreads(
      tx,
      byAgent(plan.agents, ({ thread }) => thread),
    )
    return attempt.warnings
  })
  return { agent_ids: plan.agents.map(({ row }) => row.id), ...(warnings.length > 0 && { warnings }) }
}

const byAgent = <T>(planned: readonly PlannedAgent[], select: (agent: PlannedAgent, n: number) => T) =>
  new Map(planned.map((agent, n) => [agent.row.id, select(agent, n)]))

async function insertAgents(tx: Scope, planned: readonly PlannedAgent[], toolIds: readonly string[][]): Promise<void> {
  const secrets = byAgent(planned, (agent) => agent.secrets)
  await tx.insertMany(
    agents,
    planned.map(({ row }) => row),
    [
      [agentBlocks, byAgent(planned, ({ block_ids }) => block_ids)],
      [agentTools, byAgent(planned, (_, n) => toolIds[n]!)],
      [agentFolders, byAgent(planned, ({ source_ids }) => source_ids)],
      [{ table: 'agent_environment_variables' }, byAgent(planned, (agent) => Object.keys(agent.secrets))],
    ],
  )
  await addSecrets(tx, secrets)
}

/** Shows the files to the agents, and enqueues the jobs that embed the texts. */
async function insertOpenFiles(tx: Scope, { agents, files }: ImportPlan): Promise<void> {
  await insertRecords(
    tx,
    'files_agents',
    agents.flatMap(({ openFiles }) => openFiles),
  )
  if (files.length > 0) {
    await showImported(
      tx,
      agents.map(({ row }) => row.id),
    )
  }
  const texts = files.filter(({ content }) => content != null)
  await tx.enqueueMany(
    'process_file',
    texts.map(({ id }) => ({ data: { file_id: id }, key: id })),
  )
}

const insertGroups = (tx: Scope, planned: readonly PlannedGroup[]) =>
  tx.insertMany(
    groups,
    planned.map(({ row }) => row),
    [
      [groupAgents, new Map(planned.map(({ row, agent_ids }) => [row.id, agent_ids]))],
      [groupBlocks, new Map(planned.map(({ row, shared_block_ids }) => [row.id, shared_block_ids]))],
    ],
  )
