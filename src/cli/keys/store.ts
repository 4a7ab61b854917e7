import type { ApiKey, CreateApiKey, NewApiKey } from '../../resources/api-keys/schema.ts'
import { type Client, path } from '../client.ts'

/** A key, and the organization it belongs to where keys of several are listed. */
export type ListedKey = ApiKey & { organization_id?: string }

/** The keys that a command manages: those of the caller's organization by the API, or all by the database. */
export interface KeyStore {
  list(): AsyncIterable<ListedKey> | Iterable<ListedKey>
  create(body: CreateApiKey): Promise<NewApiKey>
  revoke(id: string): Promise<void>
}

/** The keys of the caller's organization. The key of the command needs the scope `admin`. */
export const keysOfServer = (client: Client): KeyStore => ({
  list: () => client.list<ApiKey>('/v1/api-keys/'),
  create: (body) => client.post<NewApiKey>('/v1/api-keys/', body),
  revoke: async (id) => void (await client.delete(path`/v1/api-keys/${id}`)),
})
