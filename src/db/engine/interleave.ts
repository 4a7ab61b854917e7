import pg, { type PoolClient, type QueryResult } from 'pg'
import { type SendStatement, type Statement, sendStatement } from './pipeline.ts'

/** A transaction has the embedded database alone for so many milliseconds; most are over by then. */
const ALONE_MS = 50

/** A parameter as a literal without a type, as parameters are sent; undefined for one that can't be written so. */
function literalOf(value: unknown): string | undefined {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) {
    if (value.some((item) => typeof item === 'object')) return undefined
    return pg.escapeLiteral(`{${value.map((item) => `"${String(item).replace(/[\\"]/g, '\\$&')}"`).join()}}`)
  }
  return typeof value === 'object' ? undefined : pg.escapeLiteral(String(value))
}

/** The SQL of a statement with its parameters in it; undefined where one of them can't be. */
function inlined({ text, values }: Statement): string | undefined {
  const literals = values.map(literalOf)
  if (literals.includes(undefined)) return undefined
  return text.replace(/\$(\d+)/g, (_, position) => literals[position - 1]!)
}

/** The rows of a statement as of the begin of the transaction (see OPEN_READ); undefined where it can't be run so. */
async function readWithin(client: PoolClient, statement: Statement): Promise<unknown[] | undefined> {
  const text = inlined(statement)
  if (text === undefined) return undefined
  const read = `set local cairn.read = ${pg.escapeLiteral(text)}; fetch 1 from reads; fetch all from "read"; close "read"`
  try {
    // The driver returns a list of results for a text of several statements.
    const results = (await sendStatement(client, { text: read, values: [] })) as unknown as QueryResult[]
    return results[1]!.rows[0].open_read ? results[2]!.rows : undefined
  } catch {
    // The transaction has ended or failed.
    return undefined
  }
}

/**
 * Reads of the embedded database, which has one connection: they wait for a short transaction, and run between the statements
 * of a long one, without seeing its changes. Call `begun` and `ended` for each transaction.
 */
export function createInterleaving(send: SendStatement) {
  let open: { client: PoolClient; timer: NodeJS.Timeout; shared: boolean } | undefined
  const waiting = new Set<() => void>()
  return {
    begun(client: PoolClient): void {
      const share = () => {
        transaction.shared = true
        for (const overtake of waiting) overtake()
      }
      const transaction = { client, timer: setTimeout(share, ALONE_MS), shared: false }
      open = transaction
    },
    ended(): void {
      clearTimeout(open?.timer)
      open = undefined
    },
    async read<Row>(statement: Statement): Promise<Row[]> {
      const { promise, resolve } = Promise.withResolvers<Row[]>()
      let overtaken = false
      const overtake = async () => {
        waiting.delete(overtake)
        const rows = await readWithin(open!.client, statement)
        overtaken = rows !== undefined
        if (rows) resolve(rows as Row[])
      }
      waiting.add(overtake)
      const inTurn = send<Row>(statement, () => {
        waiting.delete(overtake)
        return !overtaken
      })
      if (open?.shared) overtake()
      return Promise.race([promise, inTurn])
    },
  }
}

export type Interleaving = ReturnType<typeof createInterleaving>
