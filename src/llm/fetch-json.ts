import { type Connection, ProviderError, refusedWith, statusOf, unreached } from './connection.ts'

/** The time that a provider has for each of its responses, in milliseconds. */
const TIMEOUT_MS = 15_000

/** The headers that carry the API key. */
function credentialsOf({ type, apiKey }: Connection): Record<string, string> {
  if (!apiKey) return {}
  if (type === 'anthropic') return { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }
  if (type === 'google_ai') return { 'x-goog-api-key': apiKey }
  return type === 'azure' ? { 'api-key': apiKey } : { authorization: `Bearer ${apiKey}` }
}

/** The JSON of the response to a request to a provider. Throws an ApiError for a failed request. */
export async function fetchJson(
  connection: Connection,
  url: string,
  signal?: AbortSignal,
  init: RequestInit = {},
): Promise<unknown> {
  const { name, type, fetch } = connection
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  let text: string
  try {
    const headers = { accept: 'application/json', 'content-type': 'application/json', ...credentialsOf(connection) }
    const response = await fetch(url, {
      ...init,
      headers,
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    })
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
