import { createSemaphore } from '../lib/semaphore.ts'
import type { Connection } from './connection.ts'
import { fetchJson } from './fetch-json.ts'
import { kindOf } from './known-models.ts'
import { countOf, itemsOf, type Json, type ListedModel, textOf } from './listed-model.ts'

/** The number of models whose details are requested, and of concurrent requests. */
const MAX_DETAILED = 100
const CONCURRENCY = 4

/** Models from Ollama's own listing, with the details of each model. */
export async function listOllama(connection: Connection, signal?: AbortSignal): Promise<ListedModel[]> {
  const root = connection.url.replace(/\/v1$/, '')
  const items = itemsOf(connection, await fetchJson(connection, `${root}/api/tags`, signal), 'models')
  const limit = createSemaphore(CONCURRENCY)
  const listed = items.map((item, n) =>
    limit(async (): Promise<ListedModel[]> => {
      const name = textOf(item.model) ?? textOf(item.name)
      if (!name) return []
      const body = JSON.stringify({ model: name })
      const details =
        n < MAX_DETAILED
          ? await fetchJson(connection, `${root}/api/show`, signal, { method: 'POST', body }).catch(() => ({}))
          : {}
      const { capabilities, model_info = {} } = details as { capabilities?: string[]; model_info?: Json }
      const info = (ending: string) => countOf(Object.entries(model_info).find(([key]) => key.endsWith(ending))?.[1])
      const embeds = capabilities ? capabilities.includes('embedding') : kindOf(name) === 'embedding'
      const context_window = info('.context_length')
      if (embeds) return [{ model_type: 'embedding', name, context_window, embedding_dim: info('.embedding_length') }]
      return [{ model_type: 'llm', name, context_window }]
    }),
  )
  return (await Promise.all(listed)).flat()
}
