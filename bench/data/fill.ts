import { sql } from 'kysely'
import { pino } from 'pino'
import { buildApp } from '../../src/app.ts'
import { bootstrap } from '../../src/cli/bootstrap.ts'
import type { Config } from '../../src/config.ts'
import type { Database } from '../../src/db/engine/database.ts'
import { indexSearches, migrate } from '../../src/db/engine/migrate.ts'
import { openJobs } from '../../src/db/jobs.ts'
import type { App } from '../../src/http/server.ts'
import { type Cipher, createCipher } from '../../src/lib/cipher.ts'
import { type Captured, capture, inject } from '../operations/capture.ts'
import {
  type ComparedPairs,
  createOperations,
  createPairs,
  type Operation,
  updateRequest,
} from '../operations/operations.ts'
import { batchCall, searchCall } from '../operations/passages.ts'
import { measureRecall, type Recall } from '../operations/recall.ts'
import { findTargets } from '../operations/targets.ts'
import { addData } from './organization.ts'
import { addPassages, type PassageArchive } from './passages.ts'
import { createTenants, type Tenant } from './tenants.ts'

export interface Size {
  agents: number
  passages: number
}

/** An operation with the SQL that the server sends for it. */
export interface CapturedOperation extends Operation, Captured {}

export interface Filled {
  key: string
  operations: CapturedOperation[]
  pairs: ComparedPairs
  /** The recall of searches; absent without passages. */
  recall: Recall | undefined
}

type Progress = (text: string) => void

/** Inserts the data of both organizations. Returns the archive of passages, if any are wanted. */
async function addAll(
  database: Database,
  cipher: Cipher,
  [measured, other]: [Tenant, Tenant],
  { agents, passages }: Size,
  onProgress: Progress,
): Promise<PassageArchive | undefined> {
  const small = { agents: Math.floor(agents / 10), archives: 100, folders: 100, groups: 10, identities: 100 }
  await addData({ database, cipher }, other, small)
  const large = { agents, archives: 1_000, folders: 1_000, groups: 100, identities: 1_000 }
  await addData({ database, cipher }, measured, large, (n) => onProgress(`creating agents: ${n} of ${agents}`))
  const { organizationId } = measured
  const archive = passages > 0 ? await addPassages(database, organizationId, passages, onProgress) : undefined
  onProgress('creating indexes and statistics')
  // Building the indexes of the searches after the rows takes a fraction of the time.
  await indexSearches(database)
  await sql`vacuum analyze`.execute(database.kysely)
  return archive
}

async function captureOperation(app: App, key: string, operation: Operation): Promise<CapturedOperation> {
  const { call, blockIds } = operation
  const warmUp = blockIds ? { ...call, ...updateRequest(blockIds, 'warm-up', 0) } : call
  return { ...operation, ...(await capture(app, operation.key ?? key, call, warmUp)) }
}

/** The operations on passages. New passages go to an archive of the other organization. */
async function capturePassages(
  app: App,
  key: string,
  other: Tenant,
  archive: PassageArchive,
): Promise<CapturedOperation[]> {
  const search = searchCall(archive)
  const newArchive = { name: 'Made', embedding: 'cairn/lexical' }
  const created = await inject(app, other.key, {
    method: 'POST',
    path: '/v1/archives/',
    body: JSON.stringify(newArchive),
  })
  const target = { ...archive, archiveId: JSON.parse(created).id }
  const insert = batchCall(target)
  return [
    { name: 'search_passages', call: search, ...(await capture(app, key, search, searchCall(archive))) },
    {
      name: 'insert_passages',
      call: insert,
      key: other.key,
      ...(await capture(app, other.key, insert, batchCall(target))),
    },
  ]
}

/** Fills an empty database, and captures the measured operations on it. */
export async function fill(database: Database, config: Config, size: Size, onProgress: Progress): Promise<Filled> {
  const cipher = createCipher(config.encryptionKey!)
  await migrate(database)
  const key = (await bootstrap({ database, cipher }, undefined))!
  const logger = pino({ level: 'silent' })
  const app = await buildApp({ config, database, cipher, jobs: await openJobs(database), logger, version: 'bench' })
  const [measured, other] = await createTenants(app, key)
  const archive = await addAll(database, cipher, [measured, other], size, onProgress)

  const { organizationId } = measured
  const targets = await findTargets(database, organizationId, other.organizationId, size.agents)
  const operations: CapturedOperation[] = []
  for (const operation of createOperations(targets, other.key)) {
    operations.push(await captureOperation(app, key, operation))
  }
  const recall = archive && (await measureRecall({ app, database, key, organizationId }, archive, onProgress))
  if (archive) operations.push(...(await capturePassages(app, key, other, archive)))
  await app.close()
  return { key, operations, pairs: createPairs(targets), recall }
}
