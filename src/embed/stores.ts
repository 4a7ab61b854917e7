import type { Config } from '../config.ts'
import { pinecone } from './pinecone.ts'
import { turbopuffer } from './turbopuffer.ts'
import type { VectorStore } from './vector-store.ts'

const STORES = { tpuf: turbopuffer, pinecone } as const

export type HostedProvider = keyof typeof STORES

/** The hosted stores that are there, by the name an archive chooses them by. */
export type VectorStores = Readonly<Partial<Record<HostedProvider, VectorStore>>>

/** What must be set for a store to be there. */
export const STORE_SETTINGS: Record<HostedProvider, string> = {
  tpuf: 'TURBOPUFFER_API_KEY',
  pinecone: 'PINECONE_API_KEY and PINECONE_INDEX_HOST',
}

/** The hosted stores of the settings. None is asked, nor its library loaded, before it is needed. */
export function createVectorStores(settings: Config['vectorStores']): VectorStores {
  return {
    ...(settings.tpuf && { tpuf: STORES.tpuf(settings.tpuf) }),
    ...(settings.pinecone && { pinecone: STORES.pinecone(settings.pinecone) }),
  }
}
