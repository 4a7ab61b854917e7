import { factsOf } from '../lib/provider-types.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { type Connection, ProviderError, refusedWith, statusOf, unreached } from './connection.ts'
import { EMBEDDING_MODELS, kindOf, knownDimension, knownWindow } from './known-models.ts'

/** A model as its provider tells of it. */
export interface ListedModel {
  model_type: 'llm' | 'embedding'
  name: string
  display_name?: string | undefined
  context_window?: number | undefined
  max_output_tokens?: number | undefined
  embedding_dim?: number | undefined
}

/** A listing has an end, whatever the provider does. */
const MOST = 2_000

/** How long a provider has for each of its answers. */
const WAIT_MS = 15_000

/** Models asked about one by one, and how many at once. */
const ASKED = 100
const ASKED_AT_ONCE = 4

type Json = Record<string, unknown>

/** The JSON answer to a request of a provider. Throws what went wrong as an ApiError. */
async function ask(
  connection: Connection,
  url: string,
  signal?: AbortSignal,
  init: RequestInit = {},
): Promise<unknown> {
  const { name, type, apiKey, fetch } = connection
  const keys: Record<string, string> = !apiKey
    ? {}
    : type === 'anthropic'
      ? { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }
      : type === 'google_ai'
        ? { 'x-goog-api-key': apiKey }
        : type === 'azure'
          ? { 'api-key': apiKey }
          : { authorization: `Bearer ${apiKey}` }
  const late = AbortSignal.timeout(WAIT_MS)
  let text: string
  try {
    const headers = { accept: 'application/json', 'content-type': 'application/json', ...keys }
    const response = await fetch(url, { ...init, headers, signal: signal ? AbortSignal.any([signal, late]) : late })
    text = await response.text()
    if (!response.ok) throw refusedWith(name, statusOf(type, response.status, text))
  } catch (error) {
    throw unreached(name, error)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new ProviderError(`${name} answers with something else than JSON: is its base URL right?`)
  }
}

/** The objects of a list, wherever the provider puts it. */
function itemsOf(connection: Connection, answer: unknown, key: string): Json[] {
  const list = Array.isArray(answer) ? answer : (answer as Json | null)?.[key]
  if (!Array.isArray(list)) {
    throw new ProviderError(
      `${connection.name} answers with something else than a list of models: is its base URL right?`,
    )
  }
  return list.filter((item): item is Json => item !== null && typeof item === 'object').slice(0, MOST)
}

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value.slice(0, 500) : undefined)
const countOf = (...values: unknown[]) =>
  values.find(
    (value): value is number => Number.isInteger(value) && (value as number) > 0 && (value as number) < 2 ** 31,
  )

/** Types of models that listings of Together's kind hold besides, whatever they are called. */
const OTHER_TYPES = new Set<unknown>(['image', 'video', 'audio', 'transcribe', 'moderation', 'rerank'])

/** What OpenAI's listing says, and what those say besides who have taken it over. */
async function listOpenAi(connection: Connection, signal?: AbortSignal): Promise<ListedModel[]> {
  const items = itemsOf(connection, await ask(connection, `${connection.url}/models`, signal), 'data')
  return items.flatMap((item): ListedModel[] => {
    const name = textOf(item.id)
    if (!name || OTHER_TYPES.has(item.type)) return []
    const capabilities = item.capabilities as Json | undefined
    const meta = (item.meta ?? {}) as Json
    const said =
      item.type === 'embedding' || item.type === 'embeddings' ? 'embedding' : item.type === 'chat' ? 'llm' : undefined
    const model_type = said ?? kindOf(name)
    if (!model_type || (capabilities?.completion_chat === false && model_type === 'llm')) return []
    const top = (item.top_provider ?? {}) as Json
    return [
      {
        model_type,
        name,
        display_name: textOf(item.display_name) ?? (item.name === name ? undefined : textOf(item.name)),
        context_window: countOf(
          item.context_length,
          item.context_window,
          item.max_context_length,
          item.max_model_len,
          item.max_input_tokens,
          meta.n_ctx,
          meta.n_ctx_train,
        ),
        max_output_tokens: countOf(item.max_completion_tokens, item.max_output_tokens, top.max_completion_tokens),
        ...(model_type === 'embedding' && { embedding_dim: countOf(meta.n_embd) }),
      },
    ]
  })
}

async function listAnthropic(connection: Connection, signal?: AbortSignal): Promise<ListedModel[]> {
  const items = itemsOf(connection, await ask(connection, `${connection.url}/models?limit=1000`, signal), 'data')
  return items.flatMap((item): ListedModel[] => {
    const name = textOf(item.id)
    if (!name) return []
    const context_window = countOf(item.max_input_tokens)
    return [
      {
        model_type: 'llm',
        name,
        display_name: textOf(item.display_name),
        context_window,
        max_output_tokens: countOf(item.max_tokens),
      },
    ]
  })
}

async function listGoogle(connection: Connection, signal?: AbortSignal): Promise<ListedModel[]> {
  const items = itemsOf(connection, await ask(connection, `${connection.url}/models?pageSize=1000`, signal), 'models')
  return items.flatMap((item): ListedModel[] => {
    const name = textOf(item.name)?.replace(/^models\//, '')
    const methods = Array.isArray(item.supportedGenerationMethods) ? item.supportedGenerationMethods : []
    const embeds = methods.includes('embedContent')
    if (!name || !(embeds || (methods.includes('generateContent') && kindOf(name) === 'llm'))) return []
    return [
      {
        model_type: embeds ? 'embedding' : 'llm',
        name,
        display_name: textOf(item.displayName),
        context_window: countOf(item.inputTokenLimit),
        max_output_tokens: countOf(item.outputTokenLimit),
      },
    ]
  })
}

/** Ollama's own listing, and what it tells of each model when asked. */
async function listOllama(connection: Connection, signal?: AbortSignal): Promise<ListedModel[]> {
  const root = connection.url.replace(/\/v1$/, '')
  const items = itemsOf(connection, await ask(connection, `${root}/api/tags`, signal), 'models')
  const limit = createSemaphore(ASKED_AT_ONCE)
  const listed = items.map((item, n) =>
    limit(async (): Promise<ListedModel[]> => {
      const name = textOf(item.model) ?? textOf(item.name)
      if (!name) return []
      const body = JSON.stringify({ model: name })
      const told =
        n < ASKED ? await ask(connection, `${root}/api/show`, signal, { method: 'POST', body }).catch(() => ({})) : {}
      const { capabilities, model_info = {} } = told as { capabilities?: string[]; model_info?: Json }
      const info = (ending: string) => countOf(Object.entries(model_info).find(([key]) => key.endsWith(ending))?.[1])
      const embeds = capabilities ? capabilities.includes('embedding') : kindOf(name) === 'embedding'
      const context_window = info('.context_length')
      if (embeds) return [{ model_type: 'embedding', name, context_window, embedding_dim: info('.embedding_length') }]
      return [{ model_type: 'llm', name, context_window }]
    }),
  )
  return (await Promise.all(listed)).flat()
}

const unlisted = (type: string): ListedModel[] =>
  (EMBEDDING_MODELS[type] ?? []).map((name) => ({ model_type: 'embedding', name }))

/**
 * The models of a provider, from its own listing, each once, with what is known of them from elsewhere. Of a provider
 * that has no listing, those that are known. Throws an ApiError when the provider doesn't list them.
 */
export async function listModels(connection: Connection, signal?: AbortSignal): Promise<ListedModel[]> {
  const { listing } = factsOf(connection.type)
  const list = { openai: listOpenAi, anthropic: listAnthropic, google: listGoogle, ollama: listOllama }
  const models = listing === 'none' ? unlisted(connection.type) : await list[listing](connection, signal)
  const embeds = factsOf(connection.type).embedding !== undefined
  const named = models.filter(
    ({ model_type, name }) => name.length <= 150 && !/\s/.test(name) && (embeds || model_type === 'llm'),
  )
  return [...new Map(named.map((model) => [`${model.model_type} ${model.name}`, model])).values()].map((model) =>
    model.model_type === 'llm'
      ? { ...model, context_window: model.context_window ?? knownWindow(model.name) }
      : { ...model, embedding_dim: model.embedding_dim ?? knownDimension(model.name) },
  )
}

/**
 * Asks a provider whether it accepts the credentials. Throws a ProviderError when it doesn't or can't be asked; false
 * where that can't be found out without using a model.
 */
export async function checkCredentials(connection: Connection, signal?: AbortSignal): Promise<boolean> {
  const { type, url, apiVersion } = connection
  // Its listing is open to everybody.
  if (type === 'openrouter') await ask(connection, `${url}/key`, signal)
  else if (type === 'azure') await ask(connection, `${url}/models?api-version=${apiVersion ?? AZURE_VERSION}`, signal)
  else if (factsOf(type).listing === 'none') return false
  else if (type === 'ollama') await ask(connection, `${url.replace(/\/v1$/, '')}/api/tags`, signal)
  else await ask(connection, `${url}/models`, signal)
  return true
}

/** The version of Azure's API where none is given. */
export const AZURE_VERSION = '2024-10-21'
