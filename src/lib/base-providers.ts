import type { ProviderType } from './provider-types.ts'

/** A provider of every organization, from the settings of the server. */
export interface BaseProvider {
  name: string
  type: ProviderType
  baseUrl?: string | undefined
  apiKey?: string | undefined
  accessKey?: string | undefined
  /** For temporary credentials. */
  sessionToken?: string | undefined
  region?: string | undefined
  apiVersion?: string | undefined
}

/** The environment variables of base providers. A provider exists when all variables that it needs are set. */
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
