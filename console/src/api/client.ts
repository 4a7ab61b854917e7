import { defaults } from './generated.ts'
import { currentKey, signOut } from './key.ts'
import { SERVER_PATH } from './place.ts'

/** `fetch` with the key of the session. A 401 ends the session. */
export async function fetchWithKey(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  const key = currentKey()
  if (key) headers.set('authorization', `Bearer ${key}`)
  const response = await fetch(url, { ...init, headers })
  if (response.status === 401 && key === currentKey()) signOut()
  return response
}

/** Has every function of the generated client call this server with the key of the session. */
export function configureClient(): void {
  defaults.baseUrl = SERVER_PATH
  defaults.fetch = fetchWithKey
}
