import { apiUrl, factsOf } from '../../lib/provider-types.ts'
import { CONTEXT_WINDOW } from '../../llm/known-models.ts'
import type { KnownModel } from './known.ts'
import type { EmbeddingConfig, LlmConfig } from './schema.ts'

/** How texts are embedded unless a configuration says otherwise. */
export const EMBEDDED = { embedding_chunk_size: 300, batch_size: 32 } as const

type Named = Pick<KnownModel, 'provider' | 'provider_type' | 'category' | 'base_url' | 'region' | 'name'>

const urlOf = ({ provider_type, base_url, region }: Named) => apiUrl(provider_type, base_url, region)

/** The configuration of a language model. Where its window isn't known, that of a usual one stands for it. */
export function llmConfigOf(model: Named & Partial<KnownModel>): LlmConfig {
  const { provider, category, name, context_window, max_output_tokens, display_name } = model
  const url = urlOf(model)
  return {
    handle: `${provider}/${name}`,
    model: name,
    model_endpoint_type: factsOf(model.provider_type).llm as LlmConfig['model_endpoint_type'],
    ...(url && { model_endpoint: url }),
    provider_name: provider,
    provider_category: category,
    context_window: context_window ?? CONTEXT_WINDOW,
    ...(max_output_tokens && { max_tokens: max_output_tokens }),
    ...(display_name && { display_name }),
  }
}

/** The configuration of an embedding model with this dimension. */
export function embeddingConfigWith(model: Named, dimension: number): EmbeddingConfig {
  const url = urlOf(model)
  return {
    embedding_model: model.name,
    handle: `${model.provider}/${model.name}`,
    embedding_endpoint_type: factsOf(model.provider_type).embedding as EmbeddingConfig['embedding_endpoint_type'],
    ...(url && { embedding_endpoint: url }),
    embedding_dim: dimension,
    ...EMBEDDED,
  }
}
