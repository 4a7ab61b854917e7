import { AZURE_VERSION } from '../llm/listing.ts'
import { openBedrock } from '../llm/open-bedrock.ts'
import { compatible, keyed, type OpenClient, requestedDimension } from './client.ts'
import { googleAi, googleVertex } from './google-clients.ts'

const none = () => ({})

/** The client of each type of embedding endpoint, or the reason why there is none. */
export const CLIENTS: Readonly<Record<string, OpenClient | string>> = {
  openai: keyed(async ({ url, apiKey, fetch }, model, dimension) => {
    const { createOpenAI } = await import('@ai-sdk/openai')
    const dimensions = requestedDimension(model, dimension)
    return {
      model: createOpenAI({ baseURL: url, apiKey, fetch }).embeddingModel(model),
      options: () => (dimensions ? { openai: { dimensions } } : {}),
    }
  }),
  azure: keyed(async ({ url, apiKey, apiVersion = AZURE_VERSION, fetch }, model, dimension) => {
    const { createAzure } = await import('@ai-sdk/azure')
    const azure = createAzure({ baseURL: url, apiKey, apiVersion, fetch, useDeploymentBasedUrls: true })
    const dimensions = requestedDimension(model, dimension)
    return { model: azure.embeddingModel(model), options: () => (dimensions ? { openai: { dimensions } } : {}) }
  }),
  google_ai: googleAi,
  google_vertex: googleVertex,
  mistral: keyed(async ({ url, apiKey, fetch }, model) => {
    const { createMistral } = await import('@ai-sdk/mistral')
    return { model: createMistral({ baseURL: url, apiKey, fetch }).embeddingModel(model), options: none }
  }),
  together: keyed(async ({ url, apiKey, fetch }, model) => {
    const { createTogetherAI } = await import('@ai-sdk/togetherai')
    return { model: createTogetherAI({ baseURL: url, apiKey, fetch }).embeddingModel(model), options: none }
  }),
  bedrock: keyed(async (connection, model) => ({
    model: (await openBedrock(connection)).embeddingModel(model),
    options: (purpose) => ({
      // Names of inference profiles have a region before the model.
      amazonBedrock: model.includes('cohere.embed-')
        ? { inputType: purpose === 'query' ? 'search_query' : 'search_document' }
        : {},
    }),
  })),
  ollama: compatible,
  vllm: compatible,
  lmstudio: compatible,
  llamacpp: compatible,
  koboldcpp: compatible,
  webui: compatible,
  'hugging-face': compatible,
  anthropic: 'Anthropic has no embedding models',
  groq: 'Groq has no embedding models',
  pinecone: 'embedding by Pinecone is not available on this server',
  'webui-legacy': 'this old API is not available on this server; webui is, for one that speaks the OpenAI API',
  'lmstudio-legacy': 'this old API is not available on this server; lmstudio is, for one that speaks the OpenAI API',
}
