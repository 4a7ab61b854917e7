import { ApiError } from '../lib/errors.ts'

/** Runs `work` with a deadline. At the deadline its signal is aborted, and a 502 that names `name` is thrown at once. */
export async function withDeadline<T>(ms: number, name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const error = new ApiError('bad_gateway', `${name} did not answer within ${ms / 1000} seconds.`)
    late.reject(error)
    stop.abort(error)
  }, ms)
  try {
    return await Promise.race([work(stop.signal), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
