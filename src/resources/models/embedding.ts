import type { Scope } from '../../db/scope.ts'
import type { Embedder } from '../../embed/embedder.ts'
import { lexical } from '../../embed/lexical.ts'
import { inBody, invalid } from '../../lib/errors.ts'
import type { EmbeddingConfig } from './schema.ts'

/** Tells whether two configurations give comparable vectors: the same model with the same number of dimensions. */
export const modelKey = ({ embedding_endpoint_type, embedding_model, embedding_dim }: EmbeddingConfig) =>
  `${embedding_endpoint_type}/${embedding_model}/${embedding_dim}`

/** Finds what embeds: handed to whatever needs vectors. */
export interface Embedders {
  /**
   * The embedder of a configuration, with the keys of the organization's own providers or of the server's.
   * 422 for a model that isn't available here, with the remedy.
   */
  of(scope: Scope, config: EmbeddingConfig): Promise<Embedder>
}

export function createEmbedders(): Embedders {
  return {
    async of(_scope, { embedding_endpoint_type, embedding_model }) {
      if (embedding_endpoint_type === 'native') return lexical
      throw invalid(
        inBody('embedding', `${embedding_endpoint_type}/${embedding_model} is not available on this server`),
      )
    },
  }
}
