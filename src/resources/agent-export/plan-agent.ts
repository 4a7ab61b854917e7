import { newId } from '../../lib/ids.ts'
import type { CreateAgent } from '../agents/body.ts'
import { newAgent } from '../agents/new-agent.ts'
import { storedRules } from '../agents/tool-rules.ts'
import { newBlock } from '../blocks/blocks.ts'
import type { CreateBlock } from '../blocks/schema.ts'
import type { BlockEntry, PlacedAgent } from './entry-schema.ts'
import { joinPlaces } from './fit.ts'
import type { PlanContext, PlannedAgent, PlannedRow } from './plan-context.ts'
import { planOpenFiles } from './plan-files.ts'
import { planThread } from './plan-messages.ts'

/** The block of an entry at a place of the file, with this id. */
export const planBlock = (place: string, id: string, body: Omit<BlockEntry, 'id'>, { issues }: PlanContext) =>
  issues.at(place, (): PlannedRow<'blocks'> => ({ ...newBlock(body as CreateBlock), id }))

/** The agent of an entry, whose settings are those of `body`. */
export function planAgent(agent: PlacedAgent, body: CreateAgent, context: PlanContext): PlannedAgent | undefined {
  const { catalog, defaultModel, ids, issues, options, withPartner } = context
  const id = ids.agents.get(agent.id)!
  const row = issues.at(agent.at, () => newAgent(catalog, body, defaultModel))
  const tool_rules = issues.at(agent.at, () => storedRules(agent.tool_rules))
  const blocks = (agent.memory_blocks ?? []).flatMap(
    (block, n) => planBlock(joinPlaces(agent.at, `memory_blocks[${n}]`), newId('block'), block, context) ?? [],
  )
  if (!row) return undefined
  const openFiles = planOpenFiles(agent, context)
  const folders = agent.folder_ids?.length ? agent.folder_ids : (agent.source_ids ?? [])
  const secrets = { ...agent.tool_exec_environment_variables, ...agent.secrets, ...options.secrets }
  return {
    row: {
      ...row,
      id,
      tool_rules,
      // The file decides, even where a new agent would get another value.
      hidden: agent.hidden ?? row.hidden,
      enable_sleeptime: withPartner.has(agent.id) || agent.enable_sleeptime,
    },
    block_ids: [...(agent.block_ids ?? []).map((block) => ids.blocks.get(block)!), ...blocks.map((block) => block.id)],
    source_ids: [
      ...new Set([...folders.map((folder) => ids.sources.get(folder)!), ...openFiles.map((open) => open.source_id)]),
    ],
    blocks,
    openFiles,
    thread: planThread(agent, row, context),
    secrets: Object.fromEntries(Object.entries(secrets).map(([key, value]) => [key, value ?? ''])),
  }
}
