import type { Json } from './shape.ts'
import type { Stub } from './stub.ts'

/** A request that a provider refuses: what is wrong, its body, and the provider's text. */
export type Broken = readonly [what: string, body: Json, message: string | RegExp]

async function answered(response: Response) {
  const text = await response.text()
  const json = response.headers.get('content-type')?.includes('json')
  return { status: response.status, headers: response.headers, body: (json ? JSON.parse(text) : text) as Json }
}

/** Posts JSON to a stub, with its key as a bearer unless the headers say otherwise. */
export const post = async (stub: Stub, path: string, body: Json, headers: Record<string, string> = {}) =>
  answered(
    await fetch(stub.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${stub.key}`, ...headers },
      body: JSON.stringify(body),
    }),
  )

export const get = async (stub: Stub, path: string, headers: Record<string, string>) =>
  answered(await fetch(stub.url + path, { headers }))
