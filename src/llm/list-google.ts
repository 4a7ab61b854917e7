import type { Connection } from './connection.ts'
import { fetchJson } from './fetch-json.ts'
import { kindOf } from './known-models.ts'
import { countOf, itemsOf, type ListedModel, textOf } from './listed-model.ts'

/** Models from the listing of Google AI. */
export async function listGoogle(connection: Connection, signal?: AbortSignal): Promise<ListedModel[]> {
  const items = itemsOf(
    connection,
    await fetchJson(connection, `${connection.url}/models?pageSize=1000`, signal),
    'models',
  )
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
