import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { useTestServer } from './server.ts'
import {
  comparing,
  createRows,
  cut,
  idsOf,
  keysOf,
  LISTS,
  type Order,
  orders,
  pagesFrom,
  rowOf,
  times,
  urlOf,
} from './walk.ts'

const server = useTestServer()

describe('paging through a filtered list of agents', () => {
  const path = LISTS.agents.path
  const NAMES = ['100%', '100 of 100', 'a_b', 'A_B', 'axb', 'back\\slash', 'what? & how=so', 'a+b', 'plain']
  const TEXTS = ['%', '_', 'a_b', '100', '\\', '? &', 'a+b', 'A', 'nothing']
  const TAGS = ['x', 'y', 'z,y']
  const KEYS = ['ada', 'bob', 'bob']
  let rows: Awaited<ReturnType<typeof createRows>>
  let identities: { id: string; identifier_key: string }[]

  beforeAll(async () => {
    rows = await createRows(server, 'agents')
    identities = []
    for (const [n, identifier_key] of KEYS.entries()) {
      const body = { identifier_key, name: 'I', identity_type: 'user', ...(n === 2 && { project_id: 'p' }) }
      identities.push((await server.alice.post('/v1/identities', body)).body)
    }
  })

  const some = <T>(values: readonly T[]) => fc.subarray([...values])
  const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 1 })
  const person = fc.record({ times, name: fc.constantFrom(...NAMES), tags: some(TAGS), linked: some([0, 1, 2]) })
  const filters = fc.record({
    query_text: maybe(fc.constantFrom(...TEXTS)),
    tags: maybe(fc.array(fc.constantFrom(...TAGS), { minLength: 1, maxLength: 4 })),
    match_all_tags: maybe(fc.boolean()),
    identity: maybe(fc.nat(2)),
    identifier_keys: maybe(fc.array(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 3 })),
  })

  test('shows each agent that matches all filters once, and the count agrees', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(person, { maxLength: 16 }),
        filters,
        keysOf('agents'),
        orders,
        fc.integer({ min: 1, max: 6 }),
        async (people, { identity, ...wanted }, order_by, order, limit) => {
          const all = people.map((each, n) => ({ ...each, ...rowOf('agents', n, each.times) }))
          await rows.fill(all.map(({ times: _times, linked: _linked, ...row }) => row))
          const links = all.flatMap(({ id, linked }) =>
            linked.map((n) => ({ agent_id: id, identity_id: identities[n]!.id })),
          )
          await sql`insert into agents_identities (organization_id, agent_id, identity_id, position)
            select ${server.organizations.alice}, agent_id, identity_id, row_number() over ()
            from jsonb_to_recordset(${JSON.stringify(links)}::jsonb) as link (agent_id text, identity_id text)`.execute(
            server.database.kysely,
          )

          const { query_text, tags, match_all_tags, identifier_keys } = wanted
          const kept = all.filter(
            (agent) =>
              (query_text === undefined || agent.name.toLowerCase().includes(query_text.toLowerCase())) &&
              (tags === undefined ||
                (match_all_tags
                  ? tags.every((tag) => agent.tags.includes(tag))
                  : tags.some((tag) => agent.tags.includes(tag)))) &&
              (identity === undefined || agent.linked.includes(identity)) &&
              (identifier_keys === undefined || agent.linked.some((n) => identifier_keys.includes(KEYS[n]!))),
          )
          const query = { ...wanted, identity_id: identity === undefined ? undefined : identities[identity]!.id }
          const expected = idsOf(kept.toSorted(comparing(order_by, order ?? 'desc')))
          expect(await pagesFrom(server.alice, urlOf(path, { ...query, order_by, order, limit }))).toEqual(
            cut(expected, limit),
          )
          expect((await server.alice.get(urlOf(`${path}/count`, query))).body).toBe(expected.length)
        },
      ),
      { numRuns: 80 },
    )
  })

  test('keeps its filter on every page, in any spelling of the URL', async () => {
    const names = ['what?1', 'what?2', 'what?3', 'what', '50%', '50%%', '50']
    await rows.fill(names.map((name, n) => ({ ...rowOf('agents', n, { at: n }), name })))
    const walk = async (search: string) => {
      let count = 0
      for (const page of await pagesFrom(server.alice, `${path}/?limit=1&order=asc&${search}`)) count += page.length
      return count
    }
    expect(await walk('query_text=what%3F')).toBe(3)
    expect(await walk('query_text=what?')).toBe(3)
    expect(await walk('query_text=50%25')).toBe(2)
    expect(await walk('query_text=50%')).toBe(2)
    expect(await walk('tags[]=x&tags[]=y')).toBe(0)
  })

  test('sorts by the reported last run, agents that never ran at the end, by the deprecated sort keys too', async () => {
    const { alice } = server
    await rows.fill([])
    const made: string[] = []
    for (let n = 0; n < 6; n++) made.push((await alice.post(path, LISTS.agents.body)).body.id)
    const [a, b, c, d, e, f] = made as [string, string, string, string, string, string]
    const report = (id: string, last_run_completion: string | null) =>
      alice.patch(`${path}/${id}`, { last_run_completion })
    for (const [id, at] of [
      [b, '2026-03-01T00:00:00Z'],
      [a, '2026-03-01T01:00:00+01:00'],
      [f, '2026-01-01T00:00:00Z'],
      [e, '2026-02-01T00:00:00Z'],
    ] as const) {
      expect((await report(id, at)).status).toBe(200)
    }
    expect((await report(e, null)).status).toBe(200)
    const walk = async (search: string, order: Order) => {
      const pages = await pagesFrom(alice, `${path}?limit=2&${search}`)
      expect(pages).toEqual(cut(order === 'asc' ? [f, a, b, c, d, e] : [b, a, f, e, d, c], 2))
    }
    await walk('order_by=last_run_completion&order=asc', 'asc')
    await walk('order_by=last_run_completion', 'desc')
    await walk('sort_by=last_run_completion&ascending=true', 'asc')
    await walk('sort_by=last_run_completion&ascending=false', 'desc')
    await walk('sort_by=last_run_completion', 'desc')
    // The new names win over the old.
    await walk('sort_by=created_at&order_by=last_run_completion&ascending=true&order=desc', 'desc')
    expect((await pagesFrom(alice, `${path}?ascending=true&limit=4`)).flat()).toEqual(made)
    expect((await pagesFrom(alice, `${path}?ascending=0&limit=4`)).flat()).toEqual(made.toReversed())
  })
})
