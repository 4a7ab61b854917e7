import type { RequestOpts } from '@oazapfts/runtime'
import { fetchWithKey } from './client.ts'

/** A resource with the version that it was read in: the value of `If-Match` for a change. */
export interface Versioned<Data> {
  data: Data
  etag: string
}

/** Reads something together with the headers of the response. */
export async function withHeaders<Data>(read: (options: RequestOpts) => Promise<Data>) {
  let headers = new Headers()
  const data = await read({
    fetch: async (url, init) => {
      const response = await fetchWithKey(url, init)
      headers = response.headers
      return response
    },
  })
  return { data, headers }
}

/** Reads a resource together with its ETag: `withEtag((options) => retrieveBlock(id, {}, options))`. */
export async function withEtag<Data>(read: (options: RequestOpts) => Promise<Data>): Promise<Versioned<Data>> {
  const { data, headers } = await withHeaders(read)
  return { data, etag: headers.get('etag') ?? '*' }
}
