import { execFile } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'

/** A PostgreSQL server of a test's own, which the test may stop. */
export interface OwnPostgres {
  url: string
  /** Starts it again: after `fast` it has ended its sessions, after `immediate` it recovers as from a crash. */
  restart(mode: 'fast' | 'immediate'): Promise<void>
  drop(): Promise<void>
}

const run = promisify(execFile)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts a server with the programs of the server at `url`; undefined where these aren't on this machine. */
export async function startOwnPostgres(url: string): Promise<OwnPostgres | undefined> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query(`select setting as programs, current_setting('data_directory') as data
    from pg_config where name = 'BINDIR'`)
  await client.end()
  const { programs, data } = rows[0] as { programs: string; data: string }
  if (!existsSync(join(programs, 'initdb')) || !existsSync(data)) return undefined
  // PostgreSQL refuses to run as root.
  const { uid, gid } = statSync(data)
  const base = mkdtempSync(join(tmpdir(), 'cairn-postgres-'))
  chownSync(base, uid, gid)
  const own = join(base, 'data')
  const execute = (program: string, ...args: string[]) =>
    run(join(programs, program), ['-D', own, ...args], { cwd: base, ...(process.getuid?.() === 0 && { uid, gid }) })
  await execute('initdb', '-U', 'postgres', '--auth=trust', '--no-sync', '--encoding=UTF8', '--locale=C.UTF-8')
  const port = await freePort()
  const settings = `-p ${port} -k ${base} -c listen_addresses=127.0.0.1 -c fsync=off`
  await execute('pg_ctl', 'start', '-w', '-l', join(base, 'log'), '-o', settings)
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    restart: async (mode) => void (await execute('pg_ctl', 'restart', '-w', '-l', join(base, 'log'), '-m', mode)),
    async drop() {
      await execute('pg_ctl', 'stop', '-m', 'immediate')
      rmSync(base, { recursive: true })
    },
  }
}
