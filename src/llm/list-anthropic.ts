import type { Connection } from './connection.ts'
import { fetchJson } from './fetch-json.ts'
import { countOf, itemsOf, type ListedModel, textOf } from './listed-model.ts'

/** Models from Anthropic's listing. */
export async function listAnthropic(connection: Connection, signal?: AbortSignal): Promise<ListedModel[]> {
  const items = itemsOf(connection, await fetchJson(connection, `${connection.url}/models?limit=1000`, signal), 'data')
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
