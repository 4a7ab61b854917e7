/** Facts of a type of provider. */
interface Facts {
  /** The URL of its API unless the provider has a base URL; absent: a base URL is required. */
  url?: string
  /** `model_endpoint_type` of its language models. */
  llm: string
  /** `embedding_endpoint_type` of its embedding models; absent: it has no embedding models. */
  embedding?: string
  /** The API that lists its models; `none`: its models are built in, or its owner names them. */
  listing: 'openai' | 'anthropic' | 'google' | 'ollama' | 'none'
  /** Needs no key: a server that users run themselves. */
  keyless?: true
}

/** Every type of provider. */
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

const trimmed = (url: string) => url.replace(/\/+$/, '')

/**
 * The URL of a provider's API: its base URL, normalized, or the URL of its type. Undefined for a type that needs a base
 * URL.
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
  // Ollama has an API of its own beside the one of OpenAI; its users name the root.
  if (type === 'ollama') return `${url.replace(/\/(v1|api)$/, '')}/v1`
  if (type === 'azure') return `${url.replace(/\/openai(\/.*)?$/, '')}/openai`
  // Users often omit the path that all servers of their own have.
  return facts.keyless && new URL(url).pathname === '/' ? `${url}/v1` : url
}
