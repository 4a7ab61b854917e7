import type { RequestOpts } from '@oazapfts/runtime'
import { fetchWithKey } from './client.ts'

/** A resource with the version that it was read in: the value of `If-Match` for a change. */
export interface Versioned<Data> {
  data: Data
  etag: string
}

/** Reads a resource together with its ETag: `withEtag((options) => retrieveBlock(id, {}, options))`. */
export async function withEtag<Data>(read: (options: RequestOpts) => Promise<Data>): Promise<Versioned<Data>> {
  const headers: Headers[] = []
  const data = await read({
    fetch: async (url, init) => {
      const response = await fetchWithKey(url, init)
      headers.push(response.headers)
      return response
    },
  })
  return { data, etag: headers.at(-1)?.get('etag') ?? '*' }
}
