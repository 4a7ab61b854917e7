import { once } from 'node:events'
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Answer, caller, createStore, type Env, type Exit, refusal, type Server, type Store } from '../process.ts'

// Several starts of a real server in one test, on a machine that may be busy.
vi.setConfig({ testTimeout: 180_000 })

const MAIN = ['node', 'src/main.ts']
const CAIRN = ['node', 'src/cli/cairn.ts']
const postgres = Boolean(process.env.TEST_DATABASE_URL)
/** A test of what is read before a database is opened: on PostgreSQL it would say nothing else. */
const beforeTheDatabase = test.skipIf(postgres)

/** A store whose server was started and stopped once, and its contents after that. */
let used: Store
/** That first start: the server, the result of the command that it prints, and the status of its API docs. */
let first: { server: Server; tried: Exit; docs: number }
let key: string
let archive: { id: string }
let agent: { id: string }
const stores: Store[] = []

beforeAll(async () => {
  used = await createStore()
  const server = await used.serve()
  key = server.key!
  const command = server.lines.find((line) => line.startsWith('Try'))!.replace(/^Try +/, '')
  const tried = await used.run(['sh', '-c', `${command} --silent --show-error --fail`])
  first = { server, tried, docs: (await fetch(`${server.url}/docs`)).status }
  const call = caller(server.url, key)
  archive = (await call('POST', '/v1/archives', { name: 'kept' })).body
  agent = (await call('POST', '/v1/agents', { name: 'A', secrets: { TOKEN: 'hush' } })).body
  expect(await server.kill('SIGTERM')).toMatchObject({ code: 0 })
})
afterEach(async () => {
  for (const store of stores.splice(0)) await store.drop()
})
afterAll(() => used.drop())

async function copy(): Promise<Store> {
  const store = await used.clone()
  stores.push(store)
  return store
}

async function empty(): Promise<Store> {
  const store = await createStore()
  stores.push(store)
  return store
}

describe('the first start', () => {
  test('prints the addresses, the key, and a command that works unchanged', async () => {
    const { server, tried, docs } = first
    const where = postgres ? `PostgreSQL at ${new URL(used.databaseUrl!).host}` : used.directory
    expect(server.lines.slice(0, 7)).toEqual([
      `Cairn     ${server.url}`,
      expect.stringMatching(/^Console {3}http:\S+\/console\/#code=[\w-]{22} /),
      `API docs  ${server.url}/docs`,
      `Data      ${where}`,
      expect.stringMatching(/^Sandbox {3}\S/),
      `Key       ${server.key}   (shown this once)`,
      `Try       curl -H "Authorization: Bearer ${server.key}" ${server.url}/v1/agents/`,
    ])
    expect(server.url).toMatch(/^http:\/\/localhost:\d+$/)
    expect(tried).toMatchObject({ code: 0, output: '[]' })
    expect(docs).toBe(200)
  })

  test('on a database in memory takes the configured key, and stores nothing', async () => {
    const store = await empty()
    const server = await store.serve({ DATABASE_URL: 'memory:', CAIRN_API_KEY: 'my-own-key' })
    expect(server.lines[3]).toBe('Data      in memory: nothing is kept')
    const call = caller(server.url, 'my-own-key')
    expect((await call('GET', '/v1/archives')).body).toEqual([])
    expect((await call('POST', '/v1/archives', { name: 'gone' })).status).toBe(200)
    expect(await server.kill('SIGTERM')).toMatchObject({ code: 0 })
    expect(readdirSync(store.directory)).toEqual([])
  })

  test.skipIf(!postgres)(
    'of two servers at the same time on one empty PostgreSQL database makes one organization',
    async () => {
      const store = await empty()
      const [one, two] = await Promise.all([store.serve(), store.serve()])
      const keys = [one.key, two.key].filter((shown) => shown !== undefined)
      expect(keys).toHaveLength(1)
      for (const { url } of [one, two]) {
        expect((await caller(url, keys[0]!)('GET', '/v1/admin/orgs')).body).toHaveLength(1)
      }
    },
  )
})

describe('a later start', () => {
  test('shows no key and has the data, with the secrets readable', async () => {
    const store = await copy()
    const server = await store.serve({ CAIRN_API_KEY: 'too-late-to-be-the-first' })
    expect(server.key).toBeUndefined()
    expect(server.lines.slice(5, 6)).toEqual([`Try       curl ${server.url}/v1/health/`])
    const call = caller(server.url, key)
    expect((await call('GET', '/v1/archives')).body).toEqual([archive])
    const kept = (await call('GET', `/v1/agents/${agent.id}?include=agent.secrets`)).body
    expect(kept.secrets).toMatchObject([{ key: 'TOKEN', value: 'hush' }])
    expect((await caller(server.url, 'too-late-to-be-the-first')('GET', '/v1/archives')).status).toBe(401)
  })

  test('responds to health and readiness without a key', async () => {
    const { url } = await (await copy()).serve()
    for (const path of ['/v1/health/', '/v1/ready/', '/v1/health', '/v1/ready']) {
      const answer = await fetch(url + path)
      expect([answer.status, await answer.json()]).toEqual([200, { version: expect.any(String), status: 'ok' }])
    }
    expect((await fetch(`${url}/v1/agents`)).status).toBe(401)
  })

  test('logs no keys, no secrets and no values of blocks', async () => {
    const { url, ...server } = await (await copy()).serve({ LOG_LEVEL: 'trace' })
    const call = caller(url, key)
    const HIDDEN = 'never-in-a-log'
    const block = (await call('POST', '/v1/blocks', { label: 'x', value: HIDDEN, limit: 100 })).body
    await call('PATCH', `/v1/blocks/${block.id}`, { value: HIDDEN.repeat(100) })
    await call('PATCH', `/v1/blocks/${block.id}`, { value: HIDDEN, [HIDDEN]: 1 })
    await call('GET', `/v1/blocks?value_search=${HIDDEN}`)
    await call('GET', `/v1/agents?name=${HIDDEN}&query_text=${HIDDEN}`)
    await call('PATCH', `/v1/agents/${agent.id}`, { secrets: { TOKEN: HIDDEN } })
    await call('GET', `/v1/nowhere/${HIDDEN}`)
    await caller(url, `sk-${HIDDEN}`)('GET', '/v1/blocks')
    const made = (await call('POST', '/v1/api-keys', { name: 'new', scopes: ['read'] })).body
    await caller(url, made.key)('GET', '/v1/blocks')
    const broken = { method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } }
    expect((await fetch(`${url}/v1/blocks`, { ...broken, body: `{"value":"${HIDDEN}` })).status).toBe(400)
    const { output, errors } = await server.kill('SIGTERM')
    const log = output.split('\n').slice(5)
    expect(log.filter((line) => line.includes('"msg":"request"')).length).toBeGreaterThanOrEqual(11)
    for (const text of [HIDDEN, key, made.key]) expect(log.join('\n') + errors).not.toContain(text)
  })

  test.runIf(process.platform === 'linux')('has the system allocator return freed memory', async () => {
    const store = await copy()
    // Node loads it before the server.
    const print = "process.argv[1].endsWith('main.ts')&&process.exit(console.log(process.env.MALLOC_MMAP_THRESHOLD_))"
    const own = (env: Env) =>
      store.run(['node', 'src/cairn.mjs'], { NODE_OPTIONS: `--import=data:text/javascript,${print}`, ...env })
    expect(await own({})).toMatchObject({ code: 0, output: '1048576', errors: '' })
    expect(await own({ MALLOC_MMAP_THRESHOLD_: '65536' })).toMatchObject({ code: 0, output: '65536' })
  })

  test('by npm ends when npm ends', async () => {
    const store = await copy()
    const npm = store.start(['npm', 'start'])
    const url = (await npm.line(/^Cairn +(http:\S+)$/))[1]!
    await npm.line(/^Try /)
    expect((await caller(url, key)('GET', '/v1/archives')).status).toBe(200)
    // Its output is the server's too: it is over when both have ended.
    await npm.kill('SIGTERM')
    await expect(fetch(url)).rejects.toThrow()
  })

  test.skipIf(postgres)('of a second server on one data directory is refused, and the first goes on', async () => {
    const store = await copy()
    const first = await store.serve()
    const call = caller(first.url, key)
    await refusal(store, [MAIN], store.directory, /CAIRN_DATA_DIR/)
    await refusal(store, [[...CAIRN, 'keys', 'list', '--database']], store.directory)
    expect((await call('PATCH', `/v1/archives/${archive.id}`, { name: 'changed' })).status).toBe(200)
    expect(await first.kill('SIGTERM')).toMatchObject({ code: 0 })
    const again = await store.serve()
    expect((await caller(again.url, key)('GET', `/v1/archives/${archive.id}`)).body.name).toBe('changed')
  })
})

describe('SIGTERM', () => {
  /** A request whose head the server has read; `finish` sends the body and awaits the response. */
  async function begin(url: string, body: string) {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    }
    const sent = request(`${url}/v1/archives`, { method: 'POST', headers })
    const answered = new Promise<unknown[]>((resolve, reject) => {
      sent.on('error', reject)
      sent.on('response', (response) =>
        response.resume().on('end', () => resolve([response.statusCode, response.headers.connection])),
      )
    })
    // It may fail before anybody awaits it.
    answered.catch(() => {})
    await new Promise((resolve) => sent.on('continue', resolve).flushHeaders())
    return () => {
      sent.end(body)
      return answered
    }
  }

  /** Whether somebody listens. */
  const listening = (url: string) =>
    new Promise<boolean>((resolve) => {
      const socket = connect(Number(new URL(url).port), 'localhost')
      socket.on('error', () => resolve(false))
      socket.on('connect', () => {
        socket.destroy()
        resolve(true)
      })
    })

  test('lets requests in flight finish, then ends the server, and their writes are stored', async () => {
    const store = await copy()
    const server = await store.serve()
    const finish = await Promise.all(
      Array.from({ length: 20 }, (_, n) => begin(server.url, JSON.stringify({ name: `late ${n}` }))),
    )
    const exit = server.kill('SIGTERM')
    for (const deadline = Date.now() + 10_000; await listening(server.url); ) expect(Date.now()).toBeLessThan(deadline)
    // An open connection would delay the end.
    expect(await Promise.all(finish.map((one) => one()))).toEqual(finish.map(() => [200, 'close']))
    expect(await exit).toMatchObject({ code: 0, signal: null })
    const again = await store.serve()
    expect((await caller(again.url, key)('GET', '/v1/archives')).body).toHaveLength(21)
  })

  test('ends the server although a request never ends and a connection sends nothing', async () => {
    const store = await copy()
    const server = await store.serve()
    const ends = await Promise.all([1, 2].map(() => begin(server.url, JSON.stringify({ name: 'unfinished' }))))
    const silent = connect(Number(new URL(server.url).port), 'localhost').on('error', () => {})
    await once(silent, 'connect')
    expect(await server.kill('SIGTERM')).toMatchObject({ signal: null })
    for (const end of ends) await expect(end()).rejects.toThrow()
  })

  test('under load ends the server: every response is a success, and every acknowledged write is stored', async () => {
    const store = await copy()
    const server = await store.serve({ LOG_LEVEL: 'warn' })
    const call = caller(server.url, key)
    const made: string[] = []
    let exit: Promise<unknown> | undefined
    const write = async () => {
      for (;;) {
        const answer: Answer = await call('POST', '/v1/archives', { name: 'x' })
        expect(answer.status).toBe(200)
        if (made.push(answer.body.id) === 60) exit = server.kill('SIGTERM')
      }
    }
    const ends = await Promise.allSettled(Array.from({ length: 8 }, write))
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(TypeError)
    expect(await exit).toMatchObject({ code: 0, signal: null, errors: expect.not.stringContaining('Error') })
    const again = await store.serve()
    const answers = await Promise.all(made.map((id) => caller(again.url, key)('GET', `/v1/archives/${id}`)))
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  })
})

describe('a start is refused, with the remedy,', () => {
  test('when the database was written by a newer version', async () => {
    const store = await copy()
    const database = await store.open()
    await sql`insert into schema_migrations (version, name) values (9999, '9999_later.sql')`.execute(database.kysely)
    await database.close()
    await refusal(store, [MAIN], /newer Cairn/, /9999_later/, /Start that version or a later one/)
  })

  test('when the encryption key is lost; restored, the secrets are readable again', async () => {
    const store = await copy()
    const file = join(store.directory, 'encryption.key')
    const saved = join(store.directory, 'saved')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    copyFileSync(file, saved)
    rmSync(file)
    await refusal(store, [MAIN], /encryption key/, /CAIRN_ENCRYPTION_KEY/, /encryption\.key/)
    await refusal(store, [MAIN, { CAIRN_ENCRYPTION_KEY: 'another' }], /encryption key/)
    const server = await store.serve({ CAIRN_ENCRYPTION_KEY: readFileSync(saved, 'utf8').trim() })
    const kept = await caller(server.url, key)('GET', `/v1/agents/${agent.id}?include=agent.secrets`)
    expect(kept.body.secrets).toMatchObject([{ value: 'hush' }])
  })

  test('when the encryption key file is empty, as an interrupted first start could leave it', async () => {
    const store = await empty()
    writeFileSync(join(store.directory, 'encryption.key'), '')
    await refusal(store, [MAIN], /encryption\.key/)
  })

  beforeTheDatabase('when a setting is invalid, with its name', async () => {
    const store = await empty()
    const bad = {
      PORT: 'abc',
      DATABASE_URL: 'mysql://x',
      LOG_LEVEL: 'loud',
      CAIRN_API_KEY: 'two words',
      CAIRN_POOL_SIZE: '0',
      CAIRN_BODY_LIMIT: '1MB',
      CAIRN_DEFAULT_MODEL: 'gpt-5-mini',
      CAIRN_RATE_LIMIT: '0',
      CAIRN_CORS_ORIGINS: 'https://app.example.com/page',
      CAIRN_TRUST_PROXY: '10.0.0.0/8, proxy.example.com',
      CAIRN_BASE_PATH: 'cairn',
    }
    await Promise.all(Object.entries(bad).map(([name, value]) => refusal(store, [MAIN, { [name]: value }], name)))
  })

  beforeTheDatabase('when the default model names an unknown provider', async () => {
    const store = await empty()
    const model = { CAIRN_DEFAULT_MODEL: 'nobody/model' }
    await refusal(
      store,
      [MAIN, model],
      /CAIRN_DEFAULT_MODEL names the provider "nobody"; known are openai, anthropic, /,
    )
  })

  beforeTheDatabase('when the database’s address is malformed, without its password', async () => {
    const store = await empty()
    const odd = { DATABASE_URL: 'postgres://me:hidden#word@127.0.0.1:1/x' }
    expect(await refusal(store, [MAIN, odd], /DATABASE_URL/, /Percent-encode/)).not.toContain('hidden')
  })

  test('when the port is taken, with its number', async () => {
    const store = await copy()
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, 'localhost', resolve))
    const { port } = other.address() as { port: number }
    await refusal(store, [MAIN, { PORT: `${port}` }], `${port}`, /PORT/)
    await new Promise((resolve) => other.close(resolve))
  })

  test.each([
    ['a name nobody has', 'no-such-host.invalid'],
    ['another machine’s address', '192.0.2.1'],
    ['no address at all', 'http://localhost'],
  ])('when it can’t listen at its address, which the message names: %s', async (_, host) => {
    const store = await copy()
    const message = await refusal(store, [MAIN, { HOST: host }], /HOST/, /0\.0\.0\.0/)
    expect(message).toContain(`The address ${host} cannot be listened on`)
  })

  test('when it can’t listen, on a new database too; the first successful start shows the key', async () => {
    const store = await empty()
    await refusal(store, [MAIN, { HOST: '192.0.2.1' }], /HOST/)
    const { url, key: first } = await store.serve()
    expect((await caller(url, first!)('GET', '/v1/agents')).status).toBe(200)
  })

  test.each(['127.0.0.1:1', 'no-such-host.invalid'])(
    'when the PostgreSQL server cannot be reached, without its password: %s',
    async (host) => {
      const store = await empty()
      const gone = { DATABASE_URL: `postgres://me:hidden-password@${host}/x` }
      const message = await refusal(store, [MAIN, gone], `The PostgreSQL server at ${host} cannot be used`)
      expect(message).not.toContain('hidden-password')
    },
  )

  describe.skipIf(!postgres)('when the PostgreSQL role', () => {
    const ROLE = sql.ref(`cairn_weak_${process.pid}`)

    async function asAdministrator(store: Store, ...statements: ReturnType<typeof sql>[]) {
      const database = await store.open()
      for (const statement of statements) await statement.execute(database.kysely)
      await database.close()
    }
    afterAll(() => asAdministrator(used, sql`drop role if exists ${ROLE}`))

    /** A store, and the settings of a role that may connect to its database and do nothing else there. */
    async function guarded(): Promise<[Store, Env]> {
      const store = await empty()
      const url = new URL(store.databaseUrl!)
      await asAdministrator(
        store,
        sql`drop role if exists ${ROLE}`,
        sql`create role ${ROLE} login password 'weak'`,
        sql`revoke create on database ${sql.ref(url.pathname.slice(1))} from public`,
      )
      Object.assign(url, { username: `cairn_weak_${process.pid}`, password: 'weak' })
      return [store, { DATABASE_URL: url.href }]
    }

    test('may not create extensions; once an administrator has, it starts', async () => {
      const [store, env] = await guarded()
      await asAdministrator(store, sql`grant create on schema public to ${ROLE}`)
      await refusal(store, [MAIN, env], /permission denied to create extension "vector"/, /create extension vector;/)
      const schema = sql`create schema jobs authorization ${ROLE}`
      await asAdministrator(store, sql`create extension vector`, sql`create extension pg_trgm`, schema)
      const server = await store.serve(env)
      expect((await caller(server.url, server.key!)('GET', '/v1/agents')).status).toBe(200)
    })

    test('may not create tables either', async () => {
      const [store, env] = await guarded()
      await refusal(store, [MAIN, env], /permission denied for schema public/, /grant create on schema public/)
    })
  })
})
