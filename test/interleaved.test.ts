import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { documentOf, operationsOf } from './operations.ts'
import { requestsOf, send } from './places.ts'
import { populate } from './populate.ts'
import { ownedTables } from './rows.ts'
import { useTestServer } from './server.ts'

const server = useTestServer()

/** Ends the transaction, so that the test can name the reads that wait for it. */
const DEADLINE_MS = 40_000

const WRITING_GETS = ['export_agent', 'mcp_oauth_callback', 'connect_mcp_server']

test('every read has its response while a transaction goes on, and sees none of its changes', async () => {
  const { app, bob, database } = server
  const populated = await populate(bob, database, 'Bob')
  const tables = await ownedTables(database)
  // An export is a transaction of its own: it waits. So do those that write the state of an authorization.
  const reads = operationsOf(app).filter(
    ({ method, operationId }) => method === 'GET' && !WRITING_GETS.includes(operationId),
  )
  const requests = reads.flatMap((operation) => requestsOf(documentOf(app), operation, populated).slice(0, 1))
  const waiting = new Set<string>()
  const readAll = () =>
    Promise.all(
      requests.map(async (request) => {
        const { operationId } = request.operation
        waiting.add(operationId)
        const { status, body } = await send(bob, request)
        waiting.delete(operationId)
        return [operationId, status, JSON.stringify(body).replace(/"(last_used_at|request_id)":"[^"]*"/g, '')]
      }),
    )
  const before = await readAll()
  const written = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const transaction = database.transaction(async (trx) => {
    // No foreign keys: the order of the tables doesn't matter.
    await sql`set local session_replication_role = replica`.execute(trx)
    for (const table of tables) {
      await sql`delete from ${sql.table(table)} where organization_id = ${populated.organizationId}`.execute(trx)
    }
    written.resolve()
    await end.promise
    throw new Error('Undone.')
  })
  const undone = expect(transaction).rejects.toThrow('Undone.')
  await written.promise
  let waited: string[] = []
  const deadline = setTimeout(() => {
    waited = [...waiting]
    end.resolve()
  }, DEADLINE_MS)
  const during = await readAll()
  clearTimeout(deadline)
  end.resolve()
  await undone
  expect(waited).toEqual([])
  expect(during).toEqual(before)
})
