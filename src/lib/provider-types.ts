/** What is known of a kind of provider, whoever's it is. */
interface Facts {
  /** Where its API is unless a base URL says otherwise; absent: it has to be given. */
  url?: string
  /** `model_endpoint_type` of its language models. */
  llm: string
  /** `embedding_endpoint_type` of its embedding models; absent: it has none. */
  embedding?: string
  /** How its models are listed; `none`: it has no listing, only what is known of it or named by its owner. */
  listing: 'openai' | 'anthropic' | 'google' | 'ollama' | 'none'
  /** Needs no key: what people run themselves. */
  keyless?: true
}

/** Every kind of provider. */
export const PROVIDER_TYPES = {
  openai: { url: 'https://api.openai.com/v1', llm: 'openai', embedding: 'openai', listing: 'openai' },
  anthropic: { url: 'https://api.anthropic.com/v1', llm: 'anthropic', listing: 'anthropic' },
  google_ai: {
    url: 'https://generativelanguage.googleapis.com/v1beta',
    llm: 'google_ai',
    embedding: 'google_ai',
    listing: 'google',
  },
  google_vertex: {
    url: 'https://aiplatform.googleapis.com/v1/publishers/google',
    llm: 'google_vertex',
    embedding: 'google_vertex',
    listing: 'none',
  },
  azure: { llm: 'azure', embedding: 'azure', listing: 'none' },
  bedrock: {
    url: 'https://bedrock-runtime.us-east-1.amazonaws.com',
    llm: 'bedrock',
    embedding: 'bedrock',
    listing: 'none',
  },
  mistral: { url: 'https://api.mistral.ai/v1', llm: 'mistral', embedding: 'mistral', listing: 'openai' },
  together: { url: 'https://api.together.xyz/v1', llm: 'together', embedding: 'together', listing: 'openai' },
  groq: { url: 'https://api.groq.com/openai/v1', llm: 'groq', listing: 'openai' },
  deepseek: { url: 'https://api.deepseek.com/v1', llm: 'deepseek', listing: 'openai' },
  xai: { url: 'https://api.x.ai/v1', llm: 'xai', listing: 'openai' },
  openrouter: { url: 'https://openrouter.ai/api/v1', llm: 'openrouter', embedding: 'openai', listing: 'openai' },
  fireworks: {
    url: 'https://api.fireworks.ai/inference/v1',
    llm: 'fireworks',
    embedding: 'openai',
    listing: 'openai',
  },
  cerebras: { url: 'https://api.cerebras.ai/v1', llm: 'openai', listing: 'openai' },
  baseten: { url: 'https://inference.baseten.co/v1', llm: 'baseten', listing: 'openai' },
  minimax: { url: 'https://api.minimax.io/v1', llm: 'minimax', listing: 'openai' },
  moonshot: { url: 'https://api.moonshot.ai/v1', llm: 'moonshot', listing: 'openai' },
  moonshot_coding: { url: 'https://api.kimi.com/coding/v1', llm: 'moonshot_coding', listing: 'openai' },
  zai: { url: 'https://api.z.ai/api/paas/v4', llm: 'zai', listing: 'openai' },
  zai_coding: { url: 'https://api.z.ai/api/coding/paas/v4', llm: 'zai_coding', listing: 'openai' },
  chatgpt_oauth: { url: 'https://chatgpt.com/backend-api/codex', llm: 'chatgpt_oauth', listing: 'none' },
  'hugging-face': { llm: 'hugging-face', embedding: 'hugging-face', listing: 'openai', keyless: true },
  ollama: { llm: 'ollama', embedding: 'ollama', listing: 'ollama', keyless: true },
  vllm: { llm: 'vllm', embedding: 'vllm', listing: 'openai', keyless: true },
  sglang: { llm: 'openai', embedding: 'openai', listing: 'openai', keyless: true },
  lmstudio_openai: { llm: 'lmstudio', embedding: 'lmstudio', listing: 'openai', keyless: true },
  llamacpp: { llm: 'llamacpp', embedding: 'llamacpp', listing: 'openai', keyless: true },
  koboldcpp: { llm: 'koboldcpp', embedding: 'koboldcpp', listing: 'openai', keyless: true },
  webui: { llm: 'webui', embedding: 'webui', listing: 'openai' },
} as const satisfies Record<string, Facts>

export type ProviderType = keyof typeof PROVIDER_TYPES

export const providerTypes = Object.keys(PROVIDER_TYPES) as ProviderType[]

export const factsOf = (type: ProviderType): Facts => PROVIDER_TYPES[type]

/** A provider that the server's own settings name, for every organization. */
export interface BaseProvider {
  name: string
  type: ProviderType
  baseUrl?: string | undefined
  apiKey?: string | undefined
  accessKey?: string | undefined
  /** For credentials that hold only for a time. */
  sessionToken?: string | undefined
  region?: string | undefined
  apiVersion?: string | undefined
}

/** The settings that name such a provider: the first ones make it, all of them, unless it can do without a key. */
export const BASE_PROVIDERS: readonly {
  name: string
  type: ProviderType
  env: Partial<Record<Exclude<keyof BaseProvider, 'name' | 'type'>, string>>
  needs: readonly (keyof BaseProvider)[]
}[] = [
  { name: 'openai', type: 'openai', env: { apiKey: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL' }, needs: ['apiKey'] },
  ...(
    [
      ['anthropic', 'anthropic', 'ANTHROPIC'],
      ['google_ai', 'google_ai', 'GEMINI'],
      ['mistral', 'mistral', 'MISTRAL'],
      ['together', 'together', 'TOGETHER'],
      ['groq', 'groq', 'GROQ'],
      ['deepseek', 'deepseek', 'DEEPSEEK'],
      ['xai', 'xai', 'XAI'],
      ['openrouter', 'openrouter', 'OPENROUTER'],
      ['fireworks', 'fireworks', 'FIREWORKS'],
      ['cerebras', 'cerebras', 'CEREBRAS'],
      ['minimax', 'minimax', 'MINIMAX'],
      ['moonshot', 'moonshot', 'MOONSHOT'],
      ['zai', 'zai', 'ZAI'],
    ] as const
  ).map(([name, type, prefix]) => ({
    name,
    type,
    env: { apiKey: `${prefix}_API_KEY`, baseUrl: `${prefix}_BASE_URL` },
    needs: ['apiKey'] as const,
  })),
  {
    name: 'azure',
    type: 'azure',
    env: { apiKey: 'AZURE_API_KEY', baseUrl: 'AZURE_BASE_URL', apiVersion: 'AZURE_API_VERSION' },
    needs: ['apiKey', 'baseUrl'],
  },
  {
    name: 'bedrock',
    type: 'bedrock',
    env: {
      accessKey: 'AWS_ACCESS_KEY_ID',
      apiKey: 'AWS_SECRET_ACCESS_KEY',
      sessionToken: 'AWS_SESSION_TOKEN',
      region: 'AWS_REGION',
    },
    needs: ['accessKey', 'apiKey', 'region'],
  },
  ...(
    [
      ['ollama', 'ollama', 'OLLAMA'],
      ['vllm', 'vllm', 'VLLM'],
      ['sglang', 'sglang', 'SGLANG'],
      ['lmstudio', 'lmstudio_openai', 'LMSTUDIO'],
      ['llamacpp', 'llamacpp', 'LLAMACPP'],
      ['hugging-face', 'hugging-face', 'HUGGINGFACE'],
    ] as const
  ).map(([name, type, prefix]) => ({
    name,
    type,
    env: { baseUrl: `${prefix}_BASE_URL`, apiKey: `${prefix}_API_KEY` },
    needs: ['baseUrl'] as const,
  })),
]

const trimmed = (url: string) => url.replace(/\/+$/, '')

/**
 * Where the API of a provider is: its base URL in one spelling, or the one of its kind. Undefined for a kind that has
 * none and needs one.
 */
export function apiUrl(
  type: ProviderType,
  baseUrl?: string | null | undefined,
  region?: string | null | undefined,
): string | undefined {
  const facts = factsOf(type)
  if (!baseUrl) {
    return type === 'bedrock' && region ? `https://bedrock-runtime.${region}.amazonaws.com` : facts.url
  }
  const url = trimmed(new URL(baseUrl).href)
  // Ollama speaks its own API beside the other, and is called by its root.
  if (type === 'ollama') return `${url.replace(/\/(v1|api)$/, '')}/v1`
  if (type === 'azure') return `${url.replace(/\/openai(\/.*)?$/, '')}/openai`
  // What people run themselves is often called without the path that all of them have.
  return facts.keyless && new URL(url).pathname === '/' ? `${url}/v1` : url
}
