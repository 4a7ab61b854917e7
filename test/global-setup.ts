import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../src/db/engine/database.ts'
import { indexSearches, migrate } from '../src/db/engine/migrate.ts'
import { openJobs } from '../src/db/jobs.ts'
import { startMcp } from './stand-ins/mcp.ts'
import { startOpenAi } from './stand-ins/openai.ts'

/** Where each test file gets its own database from: a migrated one to clone. */
export interface Template {
  /** A file with a migrated embedded database. */
  snapshot?: string
  /** The data directory of a server that has migrated its database, and done nothing else. */
  directory: string
  /** A PostgreSQL server, and a migrated database on it. */
  server?: { url: string; database: string }
}

declare module 'vitest' {
  interface ProvidedContext {
    template: Template
    /** The base URL of a stand-in for a working provider of models. */
    provider: string
    /** The URL of an MCP server. */
    mcpServer: string
  }
}

/**
 * Migrates once, so that every test file starts from a copy. TEST_DATABASE_URL names a PostgreSQL server to run the
 * suite on (databases are made there and dropped again); without it the suite runs on the embedded engine.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const standIn = await startOpenAi()
  project.provide('provider', standIn.url)
  const mcp = await startMcp()
  project.provide('mcpServer', `${mcp.url}/mcp`)
  const drop = await provideTemplate(project)
  return async () => {
    await drop()
    await standIn.close()
    await mcp.close()
  }
}

async function provideTemplate(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env.TEST_DATABASE_URL
  const temporary = mkdtempSync(join(tmpdir(), 'cairn-test-'))
  const directory = join(temporary, 'data')
  mkdirSync(directory)
  if (!url) {
    const database = await openDatabase({ databaseUrl: undefined, dataDir: directory, poolSize: 1 })
    await migrate(database)
    await indexSearches(database)
    await (await openJobs(database)).close()
    const snapshot = join(temporary, 'migrated')
    writeFileSync(snapshot, Buffer.from(await (await database.dump()).arrayBuffer()))
    await database.close()
    project.provide('template', { snapshot, directory })
    return async () => rmSync(temporary, { recursive: true })
  }
  const name = `cairn_test_${randomBytes(4).toString('hex')}`
  const admin = new pg.Client(url)
  await admin.connect()
  await admin.query(`create database ${name}`)
  const target = new URL(url)
  target.pathname = `/${name}`
  const database = await openDatabase({ databaseUrl: target.href, dataDir: tmpdir(), poolSize: 1 })
  await migrate(database)
  await indexSearches(database)
  await (await openJobs(database)).close()
  await database.close()
  project.provide('template', { server: { url, database: name }, directory })
  return async () => {
    rmSync(temporary, { recursive: true })
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  }
}
