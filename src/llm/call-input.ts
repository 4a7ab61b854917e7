/** The first JSON object of a text in which models wrote several, one behind the other. */
const firstObject = (text: string) => {
  const end = text.indexOf('}{')
  return end === -1 ? text : text.slice(0, end + 1)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The arguments of a call as an object; undefined for a text that is none. An empty text is no arguments; some models write
 * the JSON of a JSON text, or several objects, of which the first counts.
 */
export function parseInput(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {}
  for (const candidate of [text, firstObject(text)]) {
    try {
      let value: unknown = JSON.parse(candidate)
      if (typeof value === 'string') value = JSON.parse(value)
      if (isObject(value)) return value
    } catch {
      // The next candidate may be JSON.
    }
  }
  return undefined
}
