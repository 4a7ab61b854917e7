import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, inject } from 'vitest'
import { type Database, openDatabase } from '../src/db/engine/database.ts'
import type { Template } from './global-setup.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Longer than any step takes: a step that takes longer hangs. */
const DEADLINE_MS = 120_000

/** Node's cache of compiled code, which `npm start` sets too: most of a start is stripping types and compiling. */
const COMPILE_CACHE = join(tmpdir(), 'node-compile-cache')

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  /** Its whole standard output. */
  output: string
  errors: string
}

export interface Running {
  /** Every line of its output so far. */
  lines: string[]
  /** Awaits a line that matches, also one printed before. Throws when the process ends without one. */
  line(pattern: RegExp): Promise<RegExpExecArray>
  exited: Promise<Exit>
  /** Sends a signal, and doesn't wait. */
  signal(signal: NodeJS.Signals): void
  /** Sends a signal and awaits the exit. */
  kill(signal: NodeJS.Signals): Promise<Exit>
}

export interface Server extends Running {
  /** The base URL it printed. */
  url: string
  /** The key it printed, if any. */
  key: string | undefined
}

export type Env = Record<string, string>

/** Rejects when `work` takes longer than DEADLINE_MS. */
async function timely<T>(work: Promise<T>, what: () => string): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`Too late: ${what()}`)), DEADLINE_MS)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function watch(child: ChildProcess): Running {
  const lines: string[] = []
  let errors = ''
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const look of waiting) look()
  }
  createInterface({ input: child.stdout! }).on('line', (line) => {
    lines.push(line)
    wake()
  })
  child.stderr!.on('data', (chunk) => {
    errors += chunk
  })
  let ended: Exit | undefined
  const exited = new Promise<Exit>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      ended = { code, signal, output: lines.join('\n'), errors }
      resolve(ended)
      wake()
    })
  })
  const told = () => `${lines.join('\n')}\n${errors}`

  return {
    lines,
    exited,
    line(pattern) {
      const found = new Promise<RegExpExecArray>((resolve, reject) => {
        const look = () => {
          const match = lines.map((line) => pattern.exec(line)).find((result) => result !== null)
          if (match) resolve(match)
          else if (ended) reject(new Error(`It ended before it printed ${pattern}:\n${told()}`))
          else return
          waiting.delete(look)
        }
        waiting.add(look)
        look()
      })
      return timely(found, () => `no line ${pattern} in\n${told()}`)
    },
    signal: (signal) => void child.kill(signal),
    kill(signal) {
      if (!ended) child.kill(signal)
      return timely(exited, () => `it goes on after ${signal}:\n${told()}`)
    },
  }
}

/** The data of a server: a directory, and on PostgreSQL a database, of the test's own. */
export interface Store {
  directory: string
  /** The database of the store on PostgreSQL, undefined on the embedded engine. */
  databaseUrl: string | undefined
  /** Starts a program on this store, as `command` from the root of the project. */
  start(command: readonly string[], env?: Env): Running
  /** Runs a program on this store to its end. */
  run(command: readonly string[], env?: Env): Promise<Exit>
  /** Starts `node src/main.ts`, or another file or command of a server, and awaits its greeting. */
  serve(env?: Env, program?: string | readonly string[]): Promise<Server>
  /** Opens its database. On the embedded engine no server may be using it. */
  open(): Promise<Database>
  /** A copy of a store. No server may use the original meanwhile. */
  clone(): Promise<Store>
  /** Ends every process started on it, runs `before`, and deletes it. */
  drop(before?: () => unknown): Promise<void>
}

async function onServer<T>(url: string, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client(url)
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}

/** An empty store, or a copy of another one's data, on the engine the suite runs on or on another PostgreSQL server. */
export async function createStore(
  from?: { directory: string; database: string | undefined },
  { server }: Pick<Template, 'server'> = inject('template'),
): Promise<Store> {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-store-'))
  if (from) cpSync(from.directory, directory, { recursive: true })
  const database = server && `${server.database}_${randomBytes(4).toString('hex')}`
  let databaseUrl: string | undefined
  if (server) {
    const template = from ? ` template ${from.database}` : ''
    await onServer(server.url, async (admin) => {
      // Cloning needs exclusive use of the template, which other test files clone, too.
      await admin.query('select pg_advisory_lock(1)')
      await admin.query(`create database ${database}${template}`)
    })
    const url = new URL(server.url)
    url.pathname = `/${database}`
    databaseUrl = url.href
  }
  const running = new Set<Running>()

  const start: Store['start'] = ([program, ...rest], env = {}) => {
    const child = spawn(program === 'node' ? process.execPath : program!, rest, {
      cwd: ROOT,
      // No setting of the suite is inherited.
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: COMPILE_CACHE,
        HOME: directory,
        PORT: '0',
        CAIRN_DATA_DIR: directory,
        ...(databaseUrl && { DATABASE_URL: databaseUrl }),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const process_ = watch(child)
    running.add(process_)
    process_.exited.finally(() => running.delete(process_))
    return process_
  }

  return {
    directory,
    databaseUrl,
    start,
    run: (command, env) => {
      const one = start(command, env)
      return timely(one.exited, () => `${command.join(' ')} goes on:\n${one.lines.join('\n')}`)
    },
    async serve(env, program = 'src/main.ts') {
      const one = start(typeof program === 'string' ? ['node', program] : program, env)
      const url = (await one.line(/^Cairn +(http:\S+)$/))[1]!
      // The last line of the greeting.
      await one.line(/^Try /)
      const key = one.lines.map((line) => /^Key +(\S+)/.exec(line)?.[1]).find((found) => found !== undefined)
      return { ...one, url, key }
    },
    open: () => openDatabase({ databaseUrl, dataDir: directory, poolSize: 1 }),
    clone: () => createStore({ directory, database }),
    async drop(before) {
      await Promise.all([...running].map((one) => one.kill('SIGKILL')))
      before?.()
      rmSync(directory, { recursive: true })
      if (server) await onServer(server.url, (admin) => admin.query(`drop database ${database} with (force)`))
    },
  }
}

/** A store whose database is migrated: a server starts on it in half the time of a first start, and shows its first key. */
export function createMigratedStore(): Promise<Store> {
  const { directory, server } = inject('template')
  return createStore({ directory, database: server?.database })
}

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect
  body: any
}

/** Calls a server over HTTP with a key. Rejects when the connection breaks. */
export const caller =
  (url: string, key: string) =>
  async (method: string, path: string, body?: unknown, headers: Env = {}): Promise<Answer> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  }

/** Expects a program to exit with 1 and a message of one line that contains these texts. Returns the message. */
export async function refusal(store: Store, [command, env]: [string[], Env?], ...texts: (string | RegExp)[]) {
  const one = store.start(command, env)
  const served = one.line(/^Cairn /).then(([line]) => Promise.reject(new Error(`It serves: ${line}`)))
  const { code, output, errors } = await Promise.race([one.exited, served])
  expect([code, output]).toEqual([1, ''])
  const message = errors.replace(/^\(node:\d+\) ExperimentalWarning: .*\n\(Use .*\n/, '').trim()
  for (const text of texts) expect(message).toMatch(text)
  expect(message.split('\n')).toHaveLength(1)
  return message
}
