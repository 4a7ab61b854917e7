import type { Config } from '../config.ts'
import type { TransactionGuard } from '../lib/transaction-guard.ts'
import { pinecone } from './pinecone.ts'
import { turbopuffer } from './turbopuffer.ts'
import type { VectorStore } from './vector-store.ts'

const STORES = { tpuf: turbopuffer, pinecone } as const

export type HostedProvider = keyof typeof STORES

/** The hosted stores that are set up, by the name in an archive's `vector_db_provider`. */
export type VectorStores = Readonly<Partial<Record<HostedProvider, VectorStore>>>

/** The settings that set up a store. */
export const STORE_SETTINGS: Record<HostedProvider, string> = {
  tpuf: 'TURBOPUFFER_API_KEY',
  pinecone: 'PINECONE_API_KEY and PINECONE_INDEX_HOST',
}

const guardStore = (store: VectorStore, guard: TransactionGuard): VectorStore => ({
  ...store,
  ...(store.dimension && { dimension: guard.outside(store.dimension) }),
  write: guard.outside(store.write),
  remove: guard.outside(store.remove),
  drop: guard.outside(store.drop),
  search: guard.outside(store.search),
})

/** The hosted stores of the settings. A store is not connected, nor its library loaded, before its first use. */
export const createVectorStores = ({ tpuf, pinecone }: Config['vectorStores']): VectorStores => ({
  ...(tpuf && { tpuf: STORES.tpuf(tpuf) }),
  ...(pinecone && { pinecone: STORES.pinecone(pinecone) }),
})

/** `stores` outside transactions; inside one, their calls reject with a TransactionGuardError. */
export const guardStores = ({ tpuf, pinecone }: VectorStores, guard: TransactionGuard): VectorStores => ({
  ...(tpuf && { tpuf: guardStore(tpuf, guard) }),
  ...(pinecone && { pinecone: guardStore(pinecone, guard) }),
})
