import fc from 'fast-check'
import { v4, v7 } from 'uuid'
import { beforeAll, describe, expect, test } from 'vitest'
import { useTestServer } from './server.ts'
import {
  anyTimes,
  comparing,
  createRows,
  cut,
  idsOf,
  instant,
  keysOf,
  LISTS,
  type List,
  orders,
  pagesFrom,
  rowOf,
  START,
  times,
  urlOf,
} from './walk.ts'

const server = useTestServer()

const sizes = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 5, max: 200 }))
const runs = (list: List) => ({ numRuns: list === 'agents' ? 60 : 20 })

describe.each(Object.keys(LISTS) as List[])('walking the list of %s', (list) => {
  const { path, prefix, order: usual } = LISTS[list]
  let stored: Awaited<ReturnType<typeof createRows>>

  beforeAll(async () => {
    stored = await createRows(server, list)
    // Rows of another organization with equal instants must never appear.
    const others = [0, 1, 2].map((at) => rowOf(list, 1000 + at, { at }))
    await stored.insert(others, server.organizations.bob)
  })

  test('shows every row once and in order, forward, backward and between two rows, at any page size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyTimes, { maxLength: 14 }),
        keysOf(list),
        orders,
        sizes,
        fc.nat(13),
        fc.nat(13),
        async (specs, order_by, order, limit, one, other) => {
          const rows = specs.map((each, n) => rowOf(list, n, each))
          await stored.fill(rows)
          const expected = idsOf(rows.toSorted(comparing(order_by, order ?? usual)))
          const query = { order_by, order, limit }
          expect(await pagesFrom(server.alice, urlOf(path, query))).toEqual(cut(expected, limit))
          if (rows.length === 0) return

          const before = expected.at(-1)
          const windows = await pagesFrom(server.alice, urlOf(path, { ...query, before }))
          const backward = cut(expected.slice(0, -1).reverse(), limit)
          expect(windows).toEqual(backward.map((page) => page.toReversed()))

          const [from, to] = [one % rows.length, other % rows.length].sort((a, b) => a - b) as [number, number]
          const both = { ...query, after: expected[from], before: expected[to] }
          expect(await pagesFrom(server.alice, urlOf(path, both))).toEqual(cut(expected.slice(from + 1, to), limit))
        },
      ),
      runs(list),
    )
  })

  test('shows every remaining row once and in order, while others are inserted and deleted between the pages', async () => {
    const churn = fc.record({
      inserted: fc.array(times, { maxLength: 3 }),
      deleted: fc.array(fc.nat(20), { maxLength: 2 }),
      cursorToo: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(times, { minLength: 1, maxLength: 14 }),
        keysOf(list),
        orders,
        fc.integer({ min: 1, max: 4 }),
        fc.boolean(),
        fc.array(churn, { maxLength: 8 }),
        async (specs, order_by, order, limit, backward, changes) => {
          const rows = specs.map((each, n) => rowOf(list, n, each))
          await stored.fill(rows)
          const known = new Map(rows.map((row) => [row.id, row]))
          const gone = new Set<string>()
          const compare = comparing(order_by, order ?? usual)
          const start = backward ? rows.toSorted(compare).at(-1)!.id : undefined
          const steps = [...changes]
          const pages = await pagesFrom(
            server.alice,
            urlOf(path, { order_by, order, limit, before: start }),
            async (shown) => {
              const change = steps.shift()
              if (!change) return
              const made = change.inserted.map((each, n) => rowOf(list, 100 + known.size + n, each))
              for (const row of made) known.set(row.id, row)
              await stored.insert(made)
              const cursor = backward ? shown[0]! : shown.at(-1)!
              const outlived = change.cursorToo && (order_by ?? 'created_at') === 'created_at'
              const leaving = change.deleted.map((n) => [...known.keys()][n % known.size]!)
              const deleted = [...leaving, cursor].filter((id) => id !== cursor || outlived)
              for (const id of deleted) gone.add(id)
              await stored.remove(deleted)
            },
          )
          const shown = (backward ? pages.toReversed() : pages).flat()
          // No row twice, and all in order, newcomers too.
          expect(shown).toEqual([...new Set(shown)])
          expect(shown).toEqual(idsOf(shown.map((id) => known.get(id)!).toSorted(compare)))
          const stayed = rows.filter(({ id }) => id !== start && !gone.has(id))
          const wanted = new Set(idsOf(stayed))
          expect(shown.filter((id) => wanted.has(id))).toEqual(idsOf(stayed.toSorted(compare)))
        },
      ),
      runs(list),
    )
  })

  test('shows every remaining row once while clients insert and delete concurrently', async () => {
    const { alice } = server
    const numbers = Array.from({ length: 60 }, (_, n) => n)
    const rows = numbers.map((n) => rowOf(list, n, { at: n >> 2 }))
    const later = numbers.map((n) => rowOf(list, 100 + n, { at: n }))
    await stored.fill([...rows, ...later])
    const bodyOf = (n: number) => (list === 'folders' ? { name: `F${n}` } : LISTS[list].body)
    let walking = true
    let writes = 0
    const disturb = async () => {
      while (walking) {
        const made = await alice.post(path, bodyOf(writes++))
        expect(made.status).toBe(200)
        const victim = later.pop()
        for (const id of [made.body.id, victim?.id]) if (id) await alice.delete(`${path}/${id}`)
      }
    }
    const disturbers = [disturb(), disturb()]
    const passes: string[][] = []
    for (const order of ['asc', 'desc'] as const) {
      const ids = idsOf(rows.toSorted(comparing('created_at', order)))
      passes.push(ids, (await pagesFrom(alice, urlOf(path, { order, limit: 7 }))).flat())
      const end = `${prefix}-${v7({ msecs: order === 'asc' ? Date.now() + 60_000 : START - 1 })}`
      const windows = await pagesFrom(alice, urlOf(path, { order, limit: 7, before: end }))
      passes.push(ids, windows.toReversed().flat())
    }
    walking = false
    await Promise.all(disturbers)
    const stayed = new Set(idsOf(rows))
    for (let n = 0; n < passes.length; n += 2) {
      expect(passes[n + 1]).toEqual([...new Set(passes[n + 1])])
      expect(passes[n + 1]!.filter((id) => stayed.has(id))).toEqual(passes[n])
    }
    expect(writes).toBeGreaterThan(0)
  })

  test('continues from a deleted row whose id holds its instant; any other unknown id is a 404', async () => {
    const { alice, bob } = server
    const rows = [0, 1, 2].map((at) => rowOf(list, at, { at }))
    const legacy = rowOf(list, 9, { at: 1, legacy: true })
    await stored.fill([...rows, legacy])
    const legacyUrl = urlOf(path, { order: 'asc', after: legacy.id })
    expect((await alice.get(legacyUrl)).status).toBe(200)
    await stored.remove([legacy.id, rows[1]!.id])
    expect(idsOf((await alice.get(urlOf(path, { order: 'asc', after: rows[1]!.id }))).body)).toEqual([rows[2]!.id])
    expect(idsOf((await alice.get(urlOf(path, { order: 'asc', before: rows[1]!.id }))).body)).toEqual([rows[0]!.id])

    const theirs = (await bob.get(path)).body[0].id
    const unknown = `${prefix}-${v4()}`
    const [first, last] = [rows[0]!.id, rows[2]!.id]
    const lost = [
      { after: unknown },
      { before: unknown },
      { after: first, before: unknown },
      { after: unknown, before: last },
      { after: legacy.id },
      ...LISTS[list].keys.slice(1).flatMap((order_by) => [
        { order_by, after: rows[1]!.id },
        { order_by, before: theirs },
      ]),
    ]
    for (const query of lost) {
      const reply = await alice.get(urlOf(path, query))
      expect([reply.status, reply.headers['x-should-retry']]).toEqual([404, 'false'])
    }
    // A row of another organization that isn't where its id says: its place must not show.
    const foreign = { ...rowOf(list, 2000, { at: 1 }), created_at: instant(1000) }
    await stored.insert([foreign], server.organizations.bob)
    const neighbour = foreign.id.slice(0, -1) + (foreign.id.endsWith('0') ? '1' : '0')
    for (const side of ['after', 'before']) {
      const [known, not] = [
        await alice.get(urlOf(path, { [side]: foreign.id })),
        await alice.get(urlOf(path, { [side]: neighbour })),
      ]
      expect([known.status, idsOf(known.body)]).toEqual([200, idsOf(not.body)])
    }
    await stored.remove([foreign.id])
    expect((await alice.get(urlOf(path, { after: 'agent-1' }))).status).toBe(422)
  })
})
