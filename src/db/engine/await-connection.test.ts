import { connect, createServer, type Server, type Socket } from 'node:net'
import { sql } from 'kysely'
import { expect, inject, onTestFinished, test } from 'vitest'
import { awaitingConnections } from './await-connection.ts'
import { openDatabase } from './database.ts'

const { server } = inject('template')

/** A way to the database server at `url` that can be closed, and opened again. */
async function startGate(url: URL) {
  const sockets = new Set<Socket>()
  const gate: Server = createServer((socket) => {
    const other = connect(Number(url.port), url.hostname)
    for (const one of [socket, other]) sockets.add(one.on('error', () => {}))
    socket.pipe(other).pipe(socket)
  })
  const open = (port: number) => new Promise<void>((done) => gate.listen(port, '127.0.0.1', done))
  const close = () => {
    const closed = new Promise((done) => gate.close(done))
    for (const socket of sockets) socket.destroy()
    return closed
  }
  await open(0)
  const { port } = gate.address() as { port: number }
  return { port, open: () => open(port), close }
}

test.skipIf(!server)('work of its own waits for a database that is away, where a request fails at once', async () => {
  const url = new URL(server!.url)
  const gate = await startGate(new URL(url))
  url.port = `${gate.port}`
  const database = await openDatabase({ databaseUrl: url.href, dataDir: '', poolSize: 2 })
  onTestFinished(async () => {
    await database.close()
    await gate.close()
  })
  const patient = awaitingConnections(database)
  const one = sql<{ one: number }>`select 1 as one`
  await gate.close()
  await expect(database.query(one.compile(database.kysely))).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  const waiting = [
    ...(['query', 'read', 'change'] as const).map((sender) => patient[sender](one.compile(database.kysely))),
    patient.search(one.compile(database.kysely), new AbortController().signal),
    patient.transaction(async (trx) => (await one.execute(trx)).rows),
  ]
  await gate.open()
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => [{ one: 1 }]))
})
