import type { Scope } from '../../db/scope.ts'
import { type AgentWithRelations, loadAgent } from '../agents/load.ts'
import { modelOf, settingsOf } from '../agents/model.ts'
import type { Block } from '../blocks/schema.ts'
import type { Target } from '../messages/table.ts'
import { catalogOf } from '../models/handles.ts'
import type { LlmConfig, ModelSettings } from '../models/schema.ts'
import { isolatedBlocks } from './isolated-blocks.ts'
import { listedConversations } from './schema.ts'

/** The agent's row with the model of a conversation. The context window is the agent's, as far as the model has it. */
async function withModel(
  scope: Scope,
  row: AgentWithRelations['row'],
  { model, model_settings }: { model?: string; model_settings?: ModelSettings },
): Promise<AgentWithRelations['row']> {
  if (!model && !model_settings) return row
  const catalog = await catalogOf(scope, { llm: [model] })
  const config: LlmConfig = modelOf(catalog, { model, model_settings }, row.llm_config).llm_config ?? row.llm_config
  const llm_config = { ...config, context_window: Math.min(config.context_window, row.llm_config.context_window) }
  const isOther = config.model_endpoint_type !== row.llm_config.model_endpoint_type
  return {
    ...row,
    llm_config,
    model_settings: settingsOf(model_settings ?? (isOther ? {} : row.model_settings), config),
  }
}

/** Blocks as a conversation sees them: its own blocks stand in place of the isolated ones. */
function withOwn(blocks: readonly Block[], own: readonly Block[], isolated: readonly string[]): Block[] {
  const byLabel = new Map(own.map((block) => [block.label, block]))
  const seen = blocks.flatMap((block) =>
    isolated.includes(block.label ?? '') ? (byLabel.get(block.label) ?? []) : block,
  )
  return [...new Set([...seen, ...own])]
}

/** An agent as one of its threads sees it: a conversation has its own blocks, and its model. 404. */
export async function loadAgentIn(
  scope: Scope,
  { agentId, conversationId }: Pick<Target, 'agentId' | 'conversationId'>,
): Promise<AgentWithRelations> {
  if (!conversationId) return loadAgent(scope, agentId)
  const [agent, conversation, own] = await Promise.all([
    loadAgent(scope, agentId),
    scope.get(listedConversations, conversationId),
    isolatedBlocks(scope, conversationId),
  ])
  return {
    ...agent,
    row: await withModel(scope, agent.row, conversation),
    blocks: withOwn(agent.blocks, own, conversation.isolated_block_labels ?? []),
  }
}
