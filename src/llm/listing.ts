import { factsOf } from '../lib/provider-types.ts'
import type { Connection } from './connection.ts'
import { fetchJson } from './fetch-json.ts'
import { EMBEDDING_MODELS, knownDimension, knownWindow } from './known-models.ts'
import { listAnthropic } from './list-anthropic.ts'
import { listGoogle } from './list-google.ts'
import { listOllama } from './list-ollama.ts'
import { listOpenAi } from './list-openai.ts'
import type { ListedModel } from './listed-model.ts'

/** The version of Azure's API for a connection that names none. */
export const AZURE_VERSION = '2024-10-21'

const unlisted = (type: string): ListedModel[] =>
  (EMBEDDING_MODELS[type] ?? []).map((name) => ({ model_type: 'embedding', name }))

/**
 * The models of a provider, each once, with missing figures from `known-models.ts`. A provider without a listing has the
 * models that `known-models.ts` names. Throws an ApiError when the listing fails.
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
 * Checks the credentials of a connection. Throws a ProviderError when the provider refuses them or can't be reached;
 * false if only the use of a model would check them.
 */
export async function checkCredentials(connection: Connection, signal?: AbortSignal): Promise<boolean> {
  const { type, url, apiVersion } = connection
  // The listing of OpenRouter needs no key.
  if (type === 'openrouter') await fetchJson(connection, `${url}/key`, signal)
  else if (type === 'azure')
    await fetchJson(connection, `${url}/models?api-version=${apiVersion ?? AZURE_VERSION}`, signal)
  else if (factsOf(type).listing === 'none') return false
  else if (type === 'ollama') await fetchJson(connection, `${url.replace(/\/v1$/, '')}/api/tags`, signal)
  else await fetchJson(connection, `${url}/models`, signal)
  return true
}
