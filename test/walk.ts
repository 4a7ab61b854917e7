import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { v4, v7 } from 'uuid'
import { expect } from 'vitest'
import type { Client, Reply, TestServer } from './server.ts'

/** The paged lists: their URL, the body of a create, their sort keys. */
export const LISTS = {
  agents: {
    path: '/v1/agents',
    prefix: 'agent',
    body: { name: 'A', model: 'openai/gpt-4o-mini', include_base_tools: false },
    order: 'desc',
    keys: ['created_at', 'updated_at', 'last_run_completion'],
  },
  archives: { path: '/v1/archives', prefix: 'archive', body: { name: 'A' }, order: 'desc', keys: ['created_at'] },
  folders: { path: '/v1/folders', prefix: 'source', body: { name: 'A' }, order: 'asc', keys: ['created_at'] },
  blocks: { path: '/v1/blocks', prefix: 'block', body: { label: 'A', value: '' }, order: 'asc', keys: ['created_at'] },
} as const

export type List = keyof typeof LISTS
export type Key = (typeof LISTS)['agents']['keys'][number]
export type Order = 'asc' | 'desc'

export interface Row {
  id: string
  created_at: string
  updated_at: string
  last_run_completion: string | null
}

/** When a row was made and changed and last ran, in milliseconds after `START`. */
export interface Times {
  at: number
  updated: number
  ran: number | null
  /** Whether the id is a UUIDv4, which holds no instant. */
  legacy: boolean
}

export const START = Date.UTC(2026, 0, 1)
export const instant = (ms: number) => new Date(START + ms).toISOString()

// Few instants, so that most rows share theirs with others.
const few = fc.nat(3)
const ran = fc.option(few, { freq: 2 })

/** Rows whose ids hold the instant of their making, as the server's ids do. */
export const times: fc.Arbitrary<Times> = fc.record({ at: few, updated: few, ran, legacy: fc.constant(false) })

/** Rows whose ids hold the instant of their making, and imported rows whose ids hold none. */
export const anyTimes: fc.Arbitrary<Times> = fc.record({ at: few, updated: few, ran, legacy: fc.boolean() })

export const orders = fc.constantFrom<(Order | undefined)[]>('asc', 'desc', undefined)
export const keysOf = (list: List) => fc.constantFrom<(Key | undefined)[]>(...LISTS[list].keys, undefined)

/** A row with these times; `n` distinguishes rows with equal times. */
export function rowOf(
  list: List,
  n: number,
  { at, updated = at, ran = at, legacy = false }: Partial<Times> & { at: number },
): Row {
  const random = createHash('sha256').update(`${list} ${n}`).digest().subarray(0, 16)
  const uuid = legacy ? v4({ random }) : v7({ msecs: START + at, random })
  return {
    id: `${LISTS[list].prefix}-${uuid}`,
    created_at: instant(at),
    updated_at: instant(updated),
    last_run_completion: ran === null ? null : instant(ran),
  }
}

/** Inserts rows of a list by SQL, with any times. */
export async function createRows({ database, organizations, alice }: TestServer, list: List) {
  const db = database.kysely
  const table = sql.table(list)
  const { id } = (await alice.post(LISTS[list].path, LISTS[list].body)).body
  const made = await sql<{ row: object }>`select to_jsonb(t) as row from ${table} t where id = ${id}`.execute(db)
  const columns = await sql<{ name: string }>`select column_name as name from information_schema.columns
    where table_schema = current_schema() and table_name = ${list} and is_generated = 'NEVER'`.execute(db)
  const names = sql.join(columns.rows.map(({ name }) => sql.ref(name)))

  /** Inserts rows for an organization, Alice's if none is named. */
  async function insert(rows: readonly Row[], organization_id = organizations.alice) {
    const full = rows.map((row) => ({ ...made.rows[0]!.row, name: row.id, ...row, organization_id }))
    await sql`insert into ${table} (${names})
      select ${names} from jsonb_populate_recordset(null::${table}, ${JSON.stringify(full)}::jsonb)`.execute(db)
  }

  /** Deletes rows of any organization. */
  async function remove(ids: readonly string[]) {
    await sql`delete from ${table} where id = any(${ids}::text[])`.execute(db)
  }

  /** Makes these the only rows of Alice's organization. */
  async function fill(rows: readonly Row[]) {
    await sql`delete from ${table} where organization_id = ${organizations.alice}`.execute(db)
    await insert(rows)
  }

  return { insert, remove, fill }
}

/** Compares the sort positions of two rows, by the contract's rules on order, ties and missing values. */
export function comparing(key: Key = 'created_at', order: Order = 'asc') {
  const sign = order === 'asc' ? 1 : -1
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  return (a: Row, b: Row) => {
    const [x, y] = [a[key], b[key]]
    if ((x === null) !== (y === null)) return x === null ? 1 : -1
    return sign * (compare(x ?? '', y ?? '') || compare(a.id, b.id))
  }
}

export const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

/** Cuts ids into the pages they should come in. An empty list is one empty page. */
export const cut = (ids: readonly string[], size: number) =>
  Array.from({ length: Math.max(1, Math.ceil(ids.length / size)) }, (_, n) => ids.slice(n * size, (n + 1) * size))

/** A path with query parameters; arrays repeat theirs. */
export function urlOf(path: string, query: Record<string, string | number | boolean | readonly string[] | undefined>) {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value ?? []].flat()) search.append(name, String(one))
  }
  return `${path}?${search}`
}

/** The pages from `url` on, as the `Link` header leads through them. `between` runs before each next page. */
export async function followed<T>(client: Client, url: string, between?: (shown: T[]) => Promise<void>) {
  const pages: T[][] = []
  for (let next: string | undefined = url; next; ) {
    const reply: Reply<T[]> = await client.get(next)
    expect(reply.status).toBe(200)
    pages.push(reply.body)
    if (pages.length > 200) throw new Error(`The list doesn't end: ${url}`)
    next = /^<([^>]+)>; rel="next"$/.exec(reply.headers.link ?? '')?.[1]
    if (next) await between?.(reply.body)
  }
  return pages
}

/** All rows of a list, read page by page. */
export const walk = async <T>(client: Client, url: string) => (await followed<T>(client, url)).flat()

/** The ids on the pages from `url` on. `between` runs before each next page. */
export async function pagesFrom(client: Client, url: string, between?: (shown: string[]) => Promise<void>) {
  const pages = await followed<{ id: string }>(client, url, between && ((shown) => between(idsOf(shown))))
  return pages.map(idsOf)
}
