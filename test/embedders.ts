import type { Scope } from '../src/db/scope.ts'
import { lexical, lexicalVector } from '../src/embed/lexical.ts'
import { inBody, invalid } from '../src/lib/errors.ts'
import type { Embedders } from '../src/resources/models/embedding.ts'
import type { EmbeddingConfig } from '../src/resources/models/schema.ts'

/** Embedders whose models follow a script. The built-in model is the real one. */
export interface ScriptedEmbedders extends Embedders {
  /** The texts of each call, by the name of the model. */
  calls: Record<string, string[][]>
  /** Models that aren't available. */
  unavailable: Set<string>
  /** Runs before a model responds. An error that it throws is the model's error. */
  before: (model: string, texts: readonly string[]) => Promise<void>
}

/** The configuration of a scripted model. */
export const scriptedModel = (name: string, more: Partial<EmbeddingConfig> = {}): EmbeddingConfig => ({
  embedding_model: name,
  embedding_endpoint_type: 'openai',
  embedding_endpoint: 'http://localhost:1/v1',
  embedding_dim: 256,
  embedding_chunk_size: 300,
  batch_size: 32,
  ...more,
})

export function createScriptedEmbedders(): ScriptedEmbedders {
  const scripted: ScriptedEmbedders = {
    calls: {},
    unavailable: new Set(),
    before: async () => {},
    async of(_scope: Scope, { embedding_model: model }: EmbeddingConfig) {
      if (model === 'lexical') return lexical
      if (scripted.unavailable.has(model)) throw invalid(inBody('embedding', `${model} is not available here`))
      return {
        dimension: 256,
        local: false,
        async embed(texts) {
          scripted.calls[model] = [...(scripted.calls[model] ?? []), [...texts]]
          await scripted.before(model, texts)
          return texts.map((text) => lexicalVector(`${model} ${text}`).slice(0, 256))
        },
      }
    },
  }
  return scripted
}
