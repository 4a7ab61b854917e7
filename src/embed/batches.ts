import { createSemaphore } from '../lib/semaphore.ts'

/**
 * The results of `embed` for batches of texts, in the order of the texts. `size`: the most texts of a batch; `concurrency`: the
 * batches that run at once. The first error aborts the other batches, and is thrown when they have ended.
 */
export async function inBatches<T>(
  texts: readonly string[],
  { size, concurrency }: { size: number; concurrency: number },
  embed: (batch: string[], signal: AbortSignal) => Promise<readonly T[]>,
  signal?: AbortSignal,
): Promise<T[]> {
  const failed = new AbortController()
  const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal
  const withPermit = createSemaphore(concurrency)
  const work = Array.from({ length: Math.ceil(texts.length / size) }, (_, n) =>
    withPermit(() => {
      either.throwIfAborted()
      return embed(texts.slice(n * size, (n + 1) * size), either)
    }),
  )
  try {
    return (await Promise.all(work)).flat()
  } catch (error) {
    failed.abort(error)
    await Promise.allSettled(work)
    throw error
  }
}
