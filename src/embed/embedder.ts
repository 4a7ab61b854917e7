import type { TransactionGuard } from '../lib/transaction-guard.ts'

/** What the texts are for: some models embed what is searched and what is searched for differently. */
export type Purpose = 'document' | 'query'

/** Turns texts into vectors by one model. */
export interface Embedder {
  /** How many numbers a vector has. */
  dimension: number
  /** Whether it answers from this process: without a network, a key or a wait. */
  local: boolean
  /**
   * One vector for each text, in their order. Throws an ApiError that says what to do when the model can't be used, or
   * doesn't answer: a query is asked for once, documents again with growing pauses.
   */
  embed(texts: readonly string[], purpose: Purpose, signal?: AbortSignal): Promise<number[][]>
}

/** `embedder` outside transactions; inside one, a model behind a network rejects with a TransactionGuardError. */
export const guardEmbedder = (embedder: Embedder, guard: TransactionGuard): Embedder =>
  embedder.local ? embedder : { ...embedder, embed: guard.outside(embedder.embed) }
