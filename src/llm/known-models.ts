/** Figures of models that the listings of providers lack. From the documentation of the providers. */

/** Dimensions of embedding models, by the beginning of their names without a maker's before them. Longest first. */
const DIMENSIONS: readonly (readonly [beginning: string, dimension: number])[] = [
  ['text-embedding-3-large', 3072],
  ['text-embedding-3-small', 1536],
  ['text-embedding-ada-002', 1536],
  ['gemini-embedding', 3072],
  ['text-embedding-004', 768],
  ['text-embedding-005', 768],
  ['text-multilingual-embedding-002', 768],
  ['embedding-001', 768],
  ['mistral-embed', 1024],
  ['codestral-embed', 1536],
  ['amazon.titan-embed-text-v1', 1536],
  ['amazon.titan-embed-text-v2', 1024],
  ['cohere.embed-english-v3', 1024],
  ['cohere.embed-multilingual-v3', 1024],
  ['bge-small', 384],
  ['bge-base', 768],
  ['bge-large', 1024],
  ['bge-m3', 1024],
  ['multilingual-e5-small', 384],
  ['multilingual-e5-base', 768],
  ['multilingual-e5-large', 1024],
  ['e5-small', 384],
  ['e5-base', 768],
  ['e5-large', 1024],
  ['gte-modernbert-base', 768],
  ['all-minilm', 384],
  ['all-mpnet-base-v2', 768],
  ['nomic-embed-text', 768],
  ['mxbai-embed-large', 1024],
  ['snowflake-arctic-embed-l', 1024],
  ['embeddinggemma', 768],
]

/** Models that can return vectors with fewer dimensions than usual. */
const SHORTER = /^(text-embedding-3-|gemini-embedding)/

/** The names of the embedding models people run themselves, and of those providers list among others. */
const EMBEDS =
  /embed|(^|[/_:-])(bge|e5|gte|(all-)?mini-?lm|mpnet|nomic|mxbai|uae|m2-bert|instructor|jina-(clip|v\d))([-_.:@\d]|$)/i

/** Models of other kinds, which OpenAI and others list among those for text. */
const NEITHER =
  /(^|[/-])(whisper|tts|dall-e|sora|gpt-image|chatgpt-image|imagen|veo|lyria|omni-moderation|text-moderation|davinci|babbage|canary|flux)|-(tts|transcribe|realtime|audio|image|moderation|rerank(er)?|ocr)([-.:]|$)|rerank/i

/** Context windows in tokens, by the beginning of the name. Longest first. */
const WINDOWS: readonly (readonly [beginning: string, window: number])[] = [
  ['gpt-5', 400_000],
  ['gpt-4.1', 1_047_576],
  ['gpt-4o', 128_000],
  ['gpt-4-turbo', 128_000],
  ['gpt-4', 8_192],
  ['gpt-3.5-turbo', 16_385],
  ['chatgpt-4o', 128_000],
  ['o1', 200_000],
  ['o3', 200_000],
  ['o4', 200_000],
  ['claude', 200_000],
  ['gemini', 1_048_576],
  ['grok-4', 256_000],
  ['grok', 131_072],
  ['deepseek', 128_000],
  ['glm-4.6', 200_000],
  ['glm', 128_000],
  ['kimi', 256_000],
]

/** The context window that an unknown model is taken to have, in tokens. */
export const CONTEXT_WINDOW = 128_000

const bare = (name: string) => name.toLowerCase().slice(name.lastIndexOf('/') + 1)

const find = <T>(table: readonly (readonly [string, T])[], name: string) =>
  table.find(([beginning]) => bare(name).startsWith(beginning))?.[1]

/** The dimension of a model's vectors, or undefined if unknown. */
export const knownDimension = (name: string) => find(DIMENSIONS, name)

/** The context window of a model in tokens, or undefined if unknown. */
export const knownWindow = (name: string) => find(WINDOWS, name)

/** Whether a request has to name `dimension` for vectors of that many numbers. */
export const isShortened = (name: string, dimension: number) =>
  SHORTER.test(bare(name)) && knownDimension(name) !== dimension

/** The kind of a model, by its name: undefined for a model that neither writes nor embeds texts. */
export function kindOf(name: string): 'llm' | 'embedding' | undefined {
  if (NEITHER.test(name)) return undefined
  return knownDimension(name) !== undefined || EMBEDS.test(name) ? 'embedding' : 'llm'
}

/** Embedding models by the type of their provider. Of those that list theirs, the ones usually named. */
export const EMBEDDING_MODELS: Readonly<Record<string, readonly string[]>> = {
  openai: ['text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002'],
  google_ai: ['gemini-embedding-001'],
  google_vertex: ['gemini-embedding-001', 'text-embedding-005', 'text-multilingual-embedding-002'],
  mistral: ['mistral-embed', 'codestral-embed'],
  bedrock: [
    'amazon.titan-embed-text-v1',
    'amazon.titan-embed-text-v2:0',
    'cohere.embed-english-v3',
    'cohere.embed-multilingual-v3',
  ],
  ollama: ['nomic-embed-text', 'mxbai-embed-large', 'all-minilm'],
}

/** Language models usually named, by the type of their provider: to suggest where nothing is listed. */
export const LANGUAGE_MODELS: Readonly<Record<string, readonly string[]>> = {
  openai: ['gpt-5', 'gpt-5-mini', 'gpt-4.1', 'gpt-4.1-mini', 'gpt-4o', 'gpt-4o-mini'],
  anthropic: ['claude-opus-4-5', 'claude-sonnet-4-5', 'claude-haiku-4-5'],
  google_ai: ['gemini-2.5-pro', 'gemini-2.5-flash'],
}
