import pg from 'pg'

/** Until a broken connection is opened again. */
const RETRY_MS = 1_000

/**
 * Calls `onMessage` with the messages that servers of this database send to a channel. Messages get lost: while a connection
 * is broken, and behind a pooler that shares connections. Returns a function that ends it.
 */
export function listen(databaseUrl: string, channel: string, onMessage: (text: string) => void): () => Promise<void> {
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let ended = false
  const open = () => {
    const opened = new pg.Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: 5_000,
      keepAlive: true,
      application_name: 'cairn',
    })
    client = opened
    const retry = () => {
      if (ended || client !== opened) return
      client = undefined
      opened.end().catch(() => {})
      timer = setTimeout(open, RETRY_MS).unref()
    }
    opened.on('error', retry)
    opened.on('end', retry)
    opened.on('notification', ({ payload }) => payload && onMessage(payload))
    opened
      .connect()
      .then(() => opened.query(`listen ${channel}`))
      .catch(retry)
  }
  open()
  return async () => {
    ended = true
    clearTimeout(timer)
    await client?.end().catch(() => {})
  }
}
