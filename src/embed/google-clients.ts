import { openVertex } from '../llm/open-vertex.ts'
import { keyed, requestedDimension } from './client.ts'
import type { Purpose } from './embedder.ts'

const google = (dimension: number | undefined, purpose: Purpose) => ({
  taskType: purpose === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT',
  ...(dimension && { outputDimensionality: dimension }),
})

/** The embedding models of Google AI Studio. */
export const googleAi = keyed(async ({ url, apiKey, fetch }, model, dimension) => {
  const { createGoogle } = await import('@ai-sdk/google')
  return {
    model: createGoogle({ baseURL: url, apiKey, fetch }).embeddingModel(model),
    options: (purpose) => ({ google: google(requestedDimension(model, dimension), purpose) }),
  }
})

/** The embedding models of Google Vertex AI. */
export const googleVertex = keyed(async (connection, model, dimension) => ({
  model: (await openVertex(connection)).embeddingModel(model),
  options: (purpose) => ({ googleVertex: google(requestedDimension(model, dimension), purpose) }),
}))
