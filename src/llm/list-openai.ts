import type { Connection } from './connection.ts'
import { fetchJson } from './fetch-json.ts'
import { kindOf } from './known-models.ts'
import { countOf, itemsOf, type Json, type ListedModel, textOf } from './listed-model.ts'

/** Types of other models in the listings of Together and similar providers. */
const OTHER_TYPES = new Set<unknown>(['image', 'video', 'audio', 'transcribe', 'moderation', 'rerank'])

/** Models from a listing in OpenAI's format, with the fields that other providers add. */
export async function listOpenAi(connection: Connection, signal?: AbortSignal): Promise<ListedModel[]> {
  const items = itemsOf(connection, await fetchJson(connection, `${connection.url}/models`, signal), 'data')
  return items.flatMap((item): ListedModel[] => {
    const name = textOf(item.id)
    if (!name || OTHER_TYPES.has(item.type)) return []
    const capabilities = item.capabilities as Json | undefined
    const meta = (item.meta ?? {}) as Json
    const listedType =
      item.type === 'embedding' || item.type === 'embeddings' ? 'embedding' : item.type === 'chat' ? 'llm' : undefined
    const model_type = listedType ?? kindOf(name)
    if (!model_type || (capabilities?.completion_chat === false && model_type === 'llm')) return []
    const top = (item.top_provider ?? {}) as Json
    return [
      {
        model_type,
        name,
        display_name: textOf(item.display_name) ?? (item.name === name ? undefined : textOf(item.name)),
        context_window: countOf(
          item.context_length,
          item.context_window,
          item.max_context_length,
          item.max_model_len,
          item.max_input_tokens,
          meta.n_ctx,
          meta.n_ctx_train,
        ),
        max_output_tokens: countOf(item.max_completion_tokens, item.max_output_tokens, top.max_completion_tokens),
        ...(model_type === 'embedding' && { embedding_dim: countOf(meta.n_embd) }),
      },
    ]
  })
}
