import type { CreateAgent } from '../agents/body.ts'
import { suffixedName } from '../agents/names.ts'
import { unusable } from '../models/embedding.ts'
import type { PlacedAgent } from './entry-schema.ts'
import type { ImportOptions } from './plan-context.ts'

export type EmbeddingFields = Pick<CreateAgent, 'embedding' | 'embedding_config'>

/** The embedding model of an entry; none if this server can't use it: the built-in model then stands in for it. */
export const usableEmbedding = ({ embedding, embedding_config }: EmbeddingFields): EmbeddingFields =>
  embedding_config && unusable(embedding_config) ? {} : { embedding, embedding_config }

/** An agent of a file as the body of a create call, for the fields that the two have in common. */
export function bodyOf(agent: PlacedAgent, options: ImportOptions): CreateAgent {
  const { model_settings } = agent
  const provider = options.model?.slice(0, options.model.indexOf('/'))
  const copyName = agent.name && options.append_copy_suffix ? suffixedName(agent.name, '_copy') : agent.name
  return {
    name: options.name ?? copyName,
    agent_type: agent.agent_type,
    system: agent.system,
    tags: agent.tags,
    description: agent.description,
    metadata: agent.metadata,
    // Settings belong to a provider: those of another provider mean nothing.
    model_settings: provider && model_settings?.provider_type !== provider ? undefined : model_settings,
    compaction_settings: agent.compaction_settings,
    response_format: agent.response_format,
    message_buffer_autoclear: agent.message_buffer_autoclear,
    timezone: agent.timezone,
    max_files_open: agent.max_files_open,
    per_file_view_window_char_limit: agent.per_file_view_window_char_limit,
    hidden: agent.hidden,
    project_id: options.project_id,
    ...modelFields(agent, options),
    ...embeddingFields(agent, options),
  }
}

/** The model: the configuration alone if there is one, since files repeat some of its fields at values that nobody chose. */
function modelFields(agent: PlacedAgent, options: ImportOptions): Partial<CreateAgent> {
  if (options.model) return { model: options.model }
  if (agent.llm_config) return { llm_config: agent.llm_config, model: agent.model }
  return {
    model: agent.model,
    context_window_limit: agent.context_window_limit,
    max_tokens: agent.max_tokens,
    max_reasoning_tokens: agent.max_reasoning_tokens,
    enable_reasoner: agent.enable_reasoner,
    reasoning: agent.reasoning,
    parallel_tool_calls: agent.parallel_tool_calls,
  }
}

function embeddingFields(agent: PlacedAgent, options: ImportOptions): Partial<CreateAgent> {
  if (options.embedding) return { embedding: options.embedding }
  if (agent.embedding_config) return usableEmbedding(agent)
  return { embedding: agent.embedding, embedding_chunk_size: agent.embedding_chunk_size }
}
