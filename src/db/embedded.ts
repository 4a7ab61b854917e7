import type { Socket } from 'node:net'
import type { PGlite } from '@electric-sql/pglite'
import type { PoolConfig } from 'pg'
import { createSocket } from './embedded-socket.ts'
import { SESSION } from './session.ts'

/** An embedded PostgreSQL, as an ordinary `pg` pool sees it. */
export interface Embedded {
  poolConfig: PoolConfig
  dump(): Promise<Blob>
  close(): Promise<void>
}

/**
 * Opens PGlite in `dataDir` (absent: in memory, from `snapshot` if given). Everything goes through the one pool over
 * it; its own API is used only before the pool is (opening) and when nothing is in flight (dump, close).
 */
export async function openEmbedded(dataDir?: string, snapshot?: Blob): Promise<Embedded> {
  const [{ PGlite }, { vector }, { pg_trgm }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('@electric-sql/pglite-pgvector'),
    import('@electric-sql/pglite/contrib/pg_trgm'),
  ])
  const lite: PGlite = new PGlite({
    dataDir: dataDir ?? 'memory://',
    extensions: { vector, pg_trgm },
    ...(snapshot && { loadDataDir: snapshot }),
  })
  await lite.waitReady
  await lite.exec(
    Object.entries(SESSION)
      .map(([name, value]) => `set ${name} = ${value};`)
      .join('\n'),
  )
  return {
    // One connection: a second client on it would share its protocol state. It must never be recycled.
    poolConfig: {
      stream: () => createSocket(lite) as Socket,
      user: 'postgres',
      database: 'postgres',
      max: 1,
      idleTimeoutMillis: 0,
    },
    dump: () => lite.dumpDataDir('none'),
    close: () => lite.close(),
  }
}
