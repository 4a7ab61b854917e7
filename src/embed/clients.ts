import type { Connection } from '../llm/connection.ts'
import { isShortened } from '../llm/known-models.ts'
import { AZURE_VERSION } from '../llm/listing.ts'
import type { Purpose } from './embedder.ts'

type Options = Record<string, Record<string, string | number>>

/** What of a provider's package is used. */
interface Model {
  maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined
  doEmbed(call: {
    values: string[]
    abortSignal?: AbortSignal
    providerOptions?: Options
  }): PromiseLike<{ embeddings: number[][] }>
}

/** The model of a connection, and what is said with its calls besides the texts. */
export interface Client {
  model: Model
  options: (purpose: Purpose) => Options
}

type Open = (connection: Connection, model: string, dimension: number) => Promise<Client>

const none = () => ({})

/** `dimension` where the model has to be told. */
const told = (model: string, dimension: number) => (isShortened(model, dimension) ? dimension : undefined)

/**
 * Every server that speaks OpenAI's `/embeddings`. Its package alone never takes a key from the environment: the keys of
 * the server's operator aren't for the addresses users give.
 */
const compatible: Open = async ({ name, url, apiKey, fetch }, model, dimension) => {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const provider = createOpenAICompatible({ name, baseURL: url, fetch, ...(apiKey && { apiKey }) })
  const dimensions = told(model, dimension)
  return {
    model: provider.embeddingModel(model),
    options: () => (dimensions ? { openaiCompatible: { dimensions } } : {}),
  }
}

/** With a key, the provider's own package: without one, it would look for a key in the environment. */
const keyed =
  (open: (connection: Connection & { apiKey: string }, model: string, dimension: number) => Promise<Client>): Open =>
  (connection, model, dimension) =>
    connection.apiKey
      ? open({ ...connection, apiKey: connection.apiKey }, model, dimension)
      : compatible(connection, model, dimension)

const google = (dimension: number | undefined, purpose: Purpose) => ({
  taskType: purpose === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT',
  ...(dimension && { outputDimensionality: dimension }),
})

/** What the key of Google Vertex AI may be: the JSON of a service account's key, or a key of express mode. */
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

/** How each type of embedding endpoint is spoken to, or why it can't be. */
export const CLIENTS: Readonly<Record<string, Open | string>> = {
  openai: keyed(async ({ url, apiKey, fetch }, model, dimension) => {
    const { createOpenAI } = await import('@ai-sdk/openai')
    const dimensions = told(model, dimension)
    return {
      model: createOpenAI({ baseURL: url, apiKey, fetch }).embeddingModel(model),
      options: () => (dimensions ? { openai: { dimensions } } : {}),
    }
  }),
  azure: keyed(async ({ url, apiKey, apiVersion = AZURE_VERSION, fetch }, model, dimension) => {
    const { createAzure } = await import('@ai-sdk/azure')
    const azure = createAzure({ baseURL: url, apiKey, apiVersion, fetch, useDeploymentBasedUrls: true })
    const dimensions = told(model, dimension)
    return { model: azure.embeddingModel(model), options: () => (dimensions ? { openai: { dimensions } } : {}) }
  }),
  google_ai: keyed(async ({ url, apiKey, fetch }, model, dimension) => {
    const { createGoogle } = await import('@ai-sdk/google')
    return {
      model: createGoogle({ baseURL: url, apiKey, fetch }).embeddingModel(model),
      options: (purpose) => ({ google: google(told(model, dimension), purpose) }),
    }
  }),
  google_vertex: keyed(async ({ url, apiKey, region, fetch }, model, dimension) => {
    const { createGoogleVertex } = await import('@ai-sdk/google-vertex/edge')
    const account = serviceAccount(apiKey)
    const vertex = account
      ? createGoogleVertex({
          // Empty, not absent: absent, it would be looked for in the environment.
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
      options: (purpose) => ({ googleVertex: google(told(model, dimension), purpose) }),
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
      ? // Empty, not absent: absent, it would be looked for in the environment.
        { apiKey: '', accessKeyId: accessKey, secretAccessKey: apiKey, ...(sessionToken && { sessionToken }) }
      : { apiKey }
    return {
      model: createAmazonBedrock({ region, baseURL: url, fetch, ...credentials }).embeddingModel(model),
      options: (purpose) => ({
        // Not only at the beginning: the names of inference profiles have a part of the world before it.
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
