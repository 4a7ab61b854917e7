import { signIn } from './key.ts'
import { CONSOLE_PATH, SERVER_PATH } from './place.ts'

/** The one-time code in the link that the server prints at its start; the address forgets it. */
export function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code) history.replaceState(null, '', CONSOLE_PATH)
  return code
}

/** Exchanges a one-time code for a key. Throws when the code is used up, too old or unknown. */
export async function signInWithCode(code: string): Promise<void> {
  const response = await fetch(`${CONSOLE_PATH}sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })
  if (!response.ok)
    throw new Error('This link was used already, or is too old. Restart the server for a new one, or enter a key.')
  const { key } = (await response.json()) as { key: string }
  signIn(key)
}

/** Signs in with a key, if the server takes it. A key without the scope `read` counts, too. */
export async function signInWithKey(key: string): Promise<void> {
  const response = await fetch(`${SERVER_PATH}/v1/agents/?limit=1`, { headers: { authorization: `Bearer ${key}` } })
  if (response.status === 401) throw new Error('The server doesn’t know this key: it is wrong, expired or revoked.')
  if (!response.ok && response.status !== 403) throw new Error(`The server responded with status ${response.status}.`)
  signIn(key)
}
