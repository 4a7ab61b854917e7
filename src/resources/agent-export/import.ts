import { sql } from 'kysely'
import type { LinkChange } from '../../db/link.ts'
import { insertRecords } from '../../db/records.ts'
import type { Scope } from '../../db/scope.ts'
import { conflict } from '../../lib/errors.ts'
import { showImported } from '../agents/files/files.ts'
import { agentBlocks, agentFolders, agentTools } from '../agents/links.ts'
import { insertMessages } from '../agents/messages.ts'
import { agents } from '../agents/schema.ts'
import { addSecrets } from '../agents/secrets.ts'
import { blocks } from '../blocks/schema.ts'
import { files, folders } from '../folders/schema.ts'
import { groupAgents, groupBlocks } from '../groups/links.ts'
import { groups } from '../groups/schema.ts'
import { type ImportOptions, type Plan, planImport } from './plan.ts'
import type { AgentFileParts, ImportedAgents } from './schema.ts'
import { settleTools } from './tools.ts'

/**
 * Makes everything an agent file holds, or nothing: one transaction, by a number of statements that doesn't depend on how
 * much there is, but for the texts of long conversations. 422 with the place of what can't be had.
 */
export async function importAgents(
  scope: Scope,
  file: AgentFileParts,
  options: ImportOptions,
  defaultModel: string,
): Promise<ImportedAgents> {
  const { warnings } = file
  const plan = await planImport(scope, file, options, defaultModel)
  // Work that is done again begins with what was told before it.
  const told = await scope.transaction(async (tx) => {
    const again = { ...file, warnings: [...warnings] }
    const tools = await settleTools(tx, again, options.override_existing_tools)
    await tx.insertMany(blocks, plan.blocks)
    await insertFolders(tx, plan.folders)
    await tx.insertMany(files, plan.files)
    await insertAgents(tx, plan, tools)
    await insertRecords(tx, 'files_agents', plan.openFiles)
    const imported = plan.agents.map(({ id }) => id)
    if (plan.files.length > 0) await showImported(tx, imported)
    const texts = plan.files.filter(({ content }) => content != null)
    await tx.enqueueMany(
      'process_file',
      texts.map(({ id }) => ({ data: { file_id: id }, key: id })),
    )
    await insertGroups(tx, plan.groups)
    await insertMessages(tx, plan.messages)
    return again.warnings
  })
  return { agent_ids: plan.agents.map(({ id }) => id), ...(told.length > 0 && { warnings: told }) }
}

/** How often a folder is given another name, when others take each of them at the same moment. */
const TRIES = 10

/** Makes folders; one whose name is taken gets the next that is free, as in `Papers (2)`. */
async function insertFolders(tx: Scope, planned: Plan['folders']): Promise<void> {
  let left = planned
  for (let tries = 0; left.length > 0; tries++) {
    if (tries === TRIES) throw conflict(`No free name could be found for the folder "${left[0]!.name}".`)
    const made = new Set((await tx.insertOnConflictDoNothing(folders, left)).map(({ id }) => id))
    left = left.filter(({ id }) => !made.has(id))
    if (left.length === 0) return
    const names = left.map(({ name }) => baseOf(name))
    const taken = await tx.query(sql<{ name: string }>`select name from folders
      where organization_id = ${tx.organizationId} and left(regexp_replace(name, ${NUMBER}, ''), ${LONGEST}) = any(${names}::text[])`)
    const next = createNumbering(new Set(taken.map(({ name }) => name)))
    left = left.map((folder) => ({ ...folder, name: next(baseOf(folder.name)) }))
  }
}

/** The number that tells a folder from others of its name. */
const NUMBER = ' \\([0-9]+\\)$'

/** A longer name has no room for a number. */
const LONGEST = 480

const baseOf = (name: string) => name.replace(new RegExp(NUMBER), '').slice(0, LONGEST)

/** Gives each name the lowest number, from 2 on, with which nothing is called yet. */
function createNumbering(taken: ReadonlySet<string>) {
  const last = new Map<string, number>()
  return (name: string) => {
    let n = (last.get(name) ?? 1) + 1
    while (taken.has(`${name} (${n})`)) n++
    last.set(name, n)
    return `${name} (${n})`
  }
}

async function insertAgents(tx: Scope, plan: Plan, tools: readonly string[][]): Promise<void> {
  const attached = [
    [agentBlocks, new Map(plan.agents.map(({ id, block_ids }) => [id, block_ids]))],
    [agentTools, new Map(plan.agents.map(({ id }, n) => [id, tools[n]!]))],
    [agentFolders, new Map(plan.agents.map(({ id, source_ids }) => [id, source_ids]))],
  ] as const
  const added = new Map(
    plan.agents.map(({ id }): [string, LinkChange[]] => [
      id,
      [
        ...attached.map(([{ table }, ids]) => ({ table, added: [...ids.get(id)!], removed: [] })),
        { table: 'agent_environment_variables', added: Object.keys(plan.secrets.get(id)!), removed: [] },
      ].filter((change) => change.added.length > 0),
    ]),
  )
  await tx.insertMany(
    agents,
    plan.agents.map(({ from: _, block_ids: __, source_ids: ___, ...row }) => row),
    added,
  )
  for (const [link, ids] of attached) await tx.linkMany(link, ids)
  await addSecrets(tx, plan.secrets)
}

async function insertGroups(tx: Scope, planned: Plan['groups']): Promise<void> {
  const attached = [
    [groupAgents, new Map(planned.map(({ id, agent_ids }) => [id, agent_ids]))],
    [groupBlocks, new Map(planned.map(({ id, shared_block_ids }) => [id, shared_block_ids]))],
  ] as const
  const added = new Map(
    planned.map(({ id }): [string, LinkChange[]] => [
      id,
      attached
        .map(([{ table }, ids]) => ({ table, added: [...ids.get(id)!], removed: [] }))
        .filter((change) => change.added.length > 0),
    ]),
  )
  await tx.insertMany(
    groups,
    planned.map(({ agent_ids: _, shared_block_ids: __, ...row }) => row),
    added,
  )
  for (const [link, ids] of attached) await tx.linkMany(link, ids)
}
