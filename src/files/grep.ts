import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Kind } from './lines.ts'

/** What to look for in texts. */
export interface GrepOptions {
  /** A regular expression, whatever the case. */
  pattern: string
  /** The names of files, with `*` and `?`. */
  include?: string | undefined
  /** The lines to show around a match. */
  context: number
  /** The matches to leave out at the start, to show, and to count at most. */
  skip: number
  take: number
  most: number
}

/** A text to search, in the lines in which agents see it. `before`: the matches of the texts before. */
export interface GrepText {
  text: string
  kind: Kind
  before: number
}

export interface MatchedLine {
  line: number
  text: string
  isMatch: boolean
}

/** The matches in one text: their number, and the lines of those to show. */
export interface Matches {
  file_name: string
  matches: number
  shown: MatchedLine[][]
}

/** The reason why a search has no result. */
export class GrepError extends Error {}

/** The time of one search, and its memory: a pattern of a few characters can take years. */
const TIMEOUT_MS = 3_000
const MEMORY_MB = 256

/**
 * Searches texts in a thread of its own, until there are `most` matches. Throws a GrepError for a pattern that is no regular
 * expression, and for one that takes too long; the reason of the signal when it is aborted.
 */
export async function grep(
  options: GrepOptions,
  texts: AsyncIterable<{ text: string; kind: Kind }>,
  signal: AbortSignal,
): Promise<Matches[]> {
  const worker = new Worker(new URL('./grep-thread.ts', import.meta.url), {
    workerData: options,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    env: {},
  })
  // An error without a waiting caller must not end the process.
  worker.on('error', () => {})
  let left = TIMEOUT_MS
  /** The next message of the thread. The time in which it works counts, the time between doesn't. */
  const next = async <T>(): Promise<T> => {
    const [timeout, begun] = [AbortSignal.timeout(left), performance.now()]
    try {
      const [message] = await once(worker, 'message', { signal: AbortSignal.any([timeout, signal]) })
      left = Math.max(1, left - Math.ceil(performance.now() - begun))
      return message
    } catch (error) {
      signal.throwIfAborted()
      const isTooMuch = timeout.aborted || (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY'
      throw isTooMuch
        ? new GrepError('The search takes too long: use a simpler pattern, or include fewer files.')
        : error
    }
  }
  try {
    const { invalid } = await next<{ invalid?: string }>()
    if (invalid) throw new GrepError(`The pattern is no regular expression: ${invalid}.`)
    const found: Matches[] = []
    let before = 0
    for await (const { text, kind } of texts) {
      worker.postMessage({ text, kind, before } satisfies GrepText)
      // The thread responds to each text with its matches.
      const matches = await next<Pick<Matches, 'matches' | 'shown'>>()
      if (matches.matches > 0) found.push({ file_name: kind.file_name, ...matches })
      before += matches.matches
      if (before >= options.most) break
    }
    return found
  } finally {
    await worker.terminate()
  }
}
