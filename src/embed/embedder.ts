import type { TransactionGuard } from '../lib/transaction-guard.ts'

/** The purpose of texts: some models embed documents and queries differently. */
export type Purpose = 'document' | 'query'

/** Turns texts into vectors by one model. */
export interface Embedder {
  /** The length of a vector. */
  dimension: number
  /** Whether the model runs in this process, without a network, a key or a wait. */
  local: boolean
  /**
   * One vector for each text, in their order. Throws an ApiError that says what to do when the model can't be used, or doesn't
   * respond: a query is sent once, documents again with growing pauses.
   */
  embed(texts: readonly string[], purpose: Purpose, signal?: AbortSignal): Promise<number[][]>
}

/** `embedder` outside transactions; inside one, a model behind a network rejects with a TransactionGuardError. */
export const guardEmbedder = (embedder: Embedder, guard: TransactionGuard): Embedder =>
  embedder.local ? embedder : { ...embedder, embed: guard.outside(embedder.embed) }
