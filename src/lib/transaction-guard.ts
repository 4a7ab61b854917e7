import { AsyncLocalStorage } from 'node:async_hooks'

/** A programming error: work that must not happen inside a database transaction was started inside one. */
export class TransactionGuardError extends Error {}

/** Refuses work that must not happen inside a database transaction. One guard belongs to each database. */
export interface TransactionGuard {
  /** Runs `work` as the body of a transaction: the guard refuses inside it and inside everything it awaits. */
  run<T>(work: () => T): T
  /** Throws a TransactionGuardError with this message inside a transaction. */
  refuse(message: string): void
  /** Wraps a network call: outside transactions it runs; inside one it rejects with a TransactionGuardError. */
  outside<Args extends unknown[], T>(call: (...args: Args) => Promise<T>): (...args: Args) => Promise<T>
}

const NETWORK_CALL =
  'A network call was started inside a database transaction, which would wait for it. ' +
  'Make the call before the transaction opens: in a route, in the `prepare` of `prepared()`.'

/** A guard that knows by asynchronous context whether code runs inside a transaction. */
export function createTransactionGuard(): TransactionGuard {
  const open = new AsyncLocalStorage<true>()
  const refuse = (message: string) => {
    if (open.getStore()) throw new TransactionGuardError(message)
  }
  return {
    run: (work) => open.run(true, work),
    refuse,
    outside:
      (call) =>
      async (...args) => {
        refuse(NETWORK_CALL)
        return call(...args)
      },
  }
}
