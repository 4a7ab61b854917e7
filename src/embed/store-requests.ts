import { ApiError } from '../lib/errors.ts'

/** The retries of a request to a store that is busy, broken or out of reach. */
export const ATTEMPTS_MORE = 3

/** The timeout of one attempt. */
export const REQUEST_TIMEOUT_MS = 30_000

/** The characters of a store's own message that an error quotes. */
const WORDS = 300

/**
 * The error of a store, for the caller. `words`: the store's message, or the error of a connection that fails, which is for
 * the log. Neither has the key.
 */
export function storeError(
  { title, keyName }: { title: string; keyName: string },
  key: string,
  failure: { status: number | undefined; words: string },
): ApiError {
  const { status } = failure
  const words = failure.words.replaceAll(key, '…')
  // The log needs the error of a connection, but not the messages of a store.
  const cause = status === undefined ? { cause: new Error(words) } : {}
  const badGateway = (detail: string) => new ApiError('bad_gateway', detail, cause)
  if (status === 401 || status === 403) {
    return badGateway(`${title} refuses this server's key. Who runs the server must check ${keyName}.`)
  }
  if (status === 429) return badGateway(`${title} is asked too often at the moment. Try again later.`)
  if (status !== undefined && status >= 400 && status < 500) {
    return badGateway(`${title} refuses what it was sent (${status}): ${words.slice(0, WORDS)}`)
  }
  return badGateway(
    `${title} does not answer at the moment${status === undefined ? '' : ` (${status})`}. Try again later.`,
  )
}

/** Cuts a list into chunks within a store's limits. An item that alone is larger than `bytes` is a chunk of its own. */
export function* chunksOf<T>(list: readonly T[], most: { rows: number; bytes: number }): Generator<T[]> {
  let chunk: T[] = []
  let bytes = 0
  for (const item of list) {
    const size = Buffer.byteLength(JSON.stringify(item)) + 1
    if (chunk.length > 0 && (chunk.length === most.rows || bytes + size > most.bytes)) {
      yield chunk
      chunk = []
      bytes = 0
    }
    chunk.push(item)
    bytes += size
  }
  if (chunk.length > 0) yield chunk
}
