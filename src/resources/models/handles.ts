import { inBody, invalid } from '../../lib/errors.ts'
import { withoutNulls } from '../../lib/json.ts'
import type { EmbeddingConfig } from './schema.ts'

/** The built-in embedding model: needs no network and no key. */
export const LEXICAL: EmbeddingConfig = {
  embedding_model: 'lexical',
  handle: 'cairn/lexical',
  embedding_endpoint_type: 'native',
  embedding_dim: 512,
  embedding_chunk_size: 300,
  batch_size: 32,
}

/** The embedding models that can be named by their handle alone. */
const EMBEDDING_MODELS: Record<string, EmbeddingConfig> = {
  'cairn/lexical': LEXICAL,
  'openai/text-embedding-3-small': openai('text-embedding-3-small', 1536),
  'openai/text-embedding-3-large': openai('text-embedding-3-large', 3072),
  'openai/text-embedding-ada-002': openai('text-embedding-ada-002', 1536),
}

function openai(model: string, dimension: number): EmbeddingConfig {
  return {
    embedding_model: model,
    handle: `openai/${model}`,
    embedding_endpoint_type: 'openai',
    embedding_endpoint: 'https://api.openai.com/v1',
    embedding_dim: dimension,
    embedding_chunk_size: 300,
    batch_size: 32,
  }
}

/**
 * The embedding configuration a body asks for: the given one, else its handle's, else undefined.
 * 422 for a handle this server doesn't know.
 */
export function embeddingConfigOf(body: {
  embedding?: string | null | undefined
  embedding_config?: EmbeddingConfig | null | undefined
}): EmbeddingConfig | undefined {
  if (body.embedding_config) return withoutNulls(body.embedding_config)
  if (!body.embedding) return undefined
  const config = EMBEDDING_MODELS[body.embedding]
  if (!config) {
    const known = Object.keys(EMBEDDING_MODELS).join(', ')
    throw invalid(inBody('embedding', `is not a known embedding model (${known}); give embedding_config for another`))
  }
  return config
}
