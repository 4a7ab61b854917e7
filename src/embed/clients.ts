import type { Connection } from '../llm/connection.ts'
import { isShortened } from '../llm/known-models.ts'
import { AZURE_VERSION } from '../llm/listing.ts'
import type { Purpose } from './embedder.ts'

type Options = Record<string, Record<string, string | number>>

/** The part of a provider's package that is used. */
interface Model {
  maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined
  doEmbed(call: {
    values: string[]
    abortSignal?: AbortSignal
    providerOptions?: Options
  }): PromiseLike<{ embeddings: number[][] }>
}

/** The model of a connection, and the options of its calls. */
export interface Client {
  model: Model
  options: (purpose: Purpose) => Options
}

/** Opens a client of a model. The dimension is requested where the model would have another. */
export type OpenClient = (connection: Connection, model: string, dimension: number) => Promise<Client>

const none = () => ({})

/** The dimension, if a request has to name it. */
const requestedDimension = (model: string, dimension: number) => (isShortened(model, dimension) ? dimension : undefined)

/**
 * Any server with OpenAI's `/embeddings`. Of all packages only this one never reads a key from the environment: the keys of the
 * server's operator must not go to addresses that users choose.
 */
const compatible: OpenClient = async ({ name, url, apiKey, fetch }, model, dimension) => {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const provider = createOpenAICompatible({ name, baseURL: url, fetch, ...(apiKey && { apiKey }) })
  const dimensions = requestedDimension(model, dimension)
  return {
    model: provider.embeddingModel(model),
    options: () => (dimensions ? { openaiCompatible: { dimensions } } : {}),
  }
}

/** The provider's own package if there is a key: without a key, it would read one from the environment. */
const keyed =
  (
    open: (connection: Connection & { apiKey: string }, model: string, dimension: number) => Promise<Client>,
  ): OpenClient =>
  (connection, model, dimension) =>
    connection.apiKey
      ? open({ ...connection, apiKey: connection.apiKey }, model, dimension)
      : compatible(connection, model, dimension)

const google = (dimension: number | undefined, purpose: Purpose) => ({
  taskType: purpose === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT',
  ...(dimension && { outputDimensionality: dimension }),
})

/** A service account's key, one of two kinds of keys of Google Vertex AI. The other kind is a key of express mode. */
interface ServiceAccount {
  client_email: string
  private_key: string
  private_key_id?: string
  project_id: string
}

function serviceAccount(key: string): ServiceAccount | undefined {
  try {
    const { client_email, private_key, project_id, ...rest } = JSON.parse(key)
    return client_email && private_key && project_id ? { client_email, private_key, project_id, ...rest } : undefined
  } catch {
    return undefined
  }
}

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
  google_ai: keyed(async ({ url, apiKey, fetch }, model, dimension) => {
    const { createGoogle } = await import('@ai-sdk/google')
    return {
      model: createGoogle({ baseURL: url, apiKey, fetch }).embeddingModel(model),
      options: (purpose) => ({ google: google(requestedDimension(model, dimension), purpose) }),
    }
  }),
  google_vertex: keyed(async ({ url, apiKey, region, fetch }, model, dimension) => {
    const { createGoogleVertex } = await import('@ai-sdk/google-vertex/edge')
    const account = serviceAccount(apiKey)
    const vertex = account
      ? createGoogleVertex({
          // Empty, so that the package doesn't read it from the environment.
          apiKey: '',
          project: account.project_id,
          location: region ?? 'us-central1',
          fetch,
          googleCredentials: {
            clientEmail: account.client_email,
            privateKey: account.private_key,
            privateKeyId: account.private_key_id ?? '',
          },
        })
      : createGoogleVertex({ apiKey, baseURL: url, fetch })
    return {
      model: vertex.embeddingModel(model),
      options: (purpose) => ({ googleVertex: google(requestedDimension(model, dimension), purpose) }),
    }
  }),
  mistral: keyed(async ({ url, apiKey, fetch }, model) => {
    const { createMistral } = await import('@ai-sdk/mistral')
    return { model: createMistral({ baseURL: url, apiKey, fetch }).embeddingModel(model), options: none }
  }),
  together: keyed(async ({ url, apiKey, fetch }, model) => {
    const { createTogetherAI } = await import('@ai-sdk/togetherai')
    return { model: createTogetherAI({ baseURL: url, apiKey, fetch }).embeddingModel(model), options: none }
  }),
  bedrock: keyed(async ({ url, apiKey, accessKey, sessionToken, region = 'us-east-1', fetch }, model) => {
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock')
    const credentials = accessKey
      ? // Empty, so that the package doesn't read it from the environment.
        { apiKey: '', accessKeyId: accessKey, secretAccessKey: apiKey, ...(sessionToken && { sessionToken }) }
      : { apiKey }
    return {
      model: createAmazonBedrock({ region, baseURL: url, fetch, ...credentials }).embeddingModel(model),
      options: (purpose) => ({
        // Names of inference profiles have a region before the model.
        amazonBedrock: model.includes('cohere.embed-')
          ? { inputType: purpose === 'query' ? 'search_query' : 'search_document' }
          : {},
      }),
    }
  }),
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
