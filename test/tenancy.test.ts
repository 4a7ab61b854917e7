import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../src/lib/ids.ts'
import { type Document, documentOf, type Operation, operationsOf, prefixOf } from './operations.ts'
import { inWorkingOrder, type Place, placesOf, type Request, requestsOf, send, valueFor, withValues } from './places.ts'
import { newOrganization, type Populated, populate } from './populate.ts'
import { rowsOf } from './rows.ts'
import { type Reply, startTestServer, type TestServer } from './server.ts'

const HERS = 'Alicia'
const HIS = 'Bob'

let server: TestServer
let document: Document
let operations: Operation[]
let hers: Populated
let his: Populated
/** Every row of the two organizations before anything was tried. */
let before: Record<string, string[]>[]

const rows = () => Promise.all([hers, his].map(({ organizationId }) => rowsOf(server.database, organizationId)))

beforeAll(async () => {
  server = await startTestServer()
  document = documentOf(server.app)
  operations = operationsOf(server.app)
  hers = await populate(server.alice, server.database, HERS)
  his = await populate(server.bob, server.database, HIS)
  before = await rows()
})
afterAll(() => server.close())

/** A response without its request id and without the words of the request. */
function plain({ status, headers, body }: Reply<unknown>, words: readonly string[]): string {
  const { 'x-request-id': id, date: _, 'content-length': __, ...rest } = headers
  const text = JSON.stringify({ status, headers: rest, body }).replaceAll(id!, 'REQUEST')
  return words.reduce((left, word) => left.replaceAll(word, 'SENT').replaceAll(encodeURIComponent(word), 'SENT'), text)
}

const short = (text: string) => text.slice(0, 500)

/** Alice's ids and texts in a response to Bob, which must hold none. */
const leaks = (text: string) => [...hers.all, HERS].filter((secret) => text.includes(secret))

const describeRequest = ({ operation }: Request, places: readonly Place[]) =>
  `${operation.operationId} with hers in ${places.map(({ keys }) => keys.join('.')).join(' and ')}`

/** The query for the largest response of an operation: hidden resources, every relation, a full page. */
function everything({ parameters = [] }: Operation): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {}
  for (const { name, schema } of parameters) {
    if (name.startsWith('show_hidden')) query[name] = 'true'
    if (name === 'limit') query[name] = '200'
    if (name === 'include') query[name] = schema.items!.enum as string[]
  }
  return query
}

/** Runs a check on every request; an error is a finding, too. */
async function findings<T>(items: readonly T[], check: (item: T) => Promise<readonly string[]>): Promise<string[]> {
  const found: string[] = []
  for (const item of items) {
    found.push(...(await check(item).catch((error: Error) => [error.message])))
  }
  return found
}

/** Operations that refuse an id before they look it up, whoever owns it. */
const REFUSED: Record<string, number> = {
  'modify_user body.organization_id': 409,
  // Only the operator's admins may.
  'retry_failed_job path.job_id': 403,
}

/** The statuses of responses to an unknown id: a filter may also find nothing. */
function expected({ operation }: Request, places: readonly Place[]): number[] {
  const refused = REFUSED[`${operation.operationId} ${places.map(({ keys }) => keys.join('.')).join()}`]
  if (refused) return [refused]
  return operation.method === 'GET' && places.every(({ keys }) => keys[0] === 'query') ? [200, 404] : [404]
}

/** Operations that fail even for the caller's own resources. */
const EXCUSED: Record<string, number> = {
  // Only the operator's admins may.
  create_organization: 403,
  retrieve_server_health: 403,
  list_failed_jobs: 403,
  retry_failed_job: 403,
  // It takes a secret of an authorization server.
  mcp_oauth_callback: 400,
}

describe("another organization's", () => {
  test('resources get a response equal to that for missing resources, wherever a request names them', async () => {
    const { bob } = server
    const wrong = await findings(operations, async (operation) =>
      findings(requestsOf(document, operation, his), async (request) => {
        const all = placesOf(request)
        const tried = all.length > 1 ? [...all.map((place) => [place]), all] : all.map((place) => [place])
        return findings(tried, async (places) => {
          const foreign = places.map((place) => ({ place, value: valueFor(hers, place) }))
          const unknown = places.map((place) => ({
            place,
            value: place.prefix ? newId(place.prefix) : 'nothing_of_this_name',
          }))
          const sent = (values: typeof foreign) => values.map(({ value }) => value)
          const got = await send(bob, withValues(request, foreign))
          const wanted = await send(bob, withValues(request, unknown))
          const [one, other] = [plain(got, sent(foreign)), plain(wanted, sent(unknown))]
          const what = describeRequest(request, places)
          return [
            ...(one === other ? [] : [`${what} answered ${short(one)}, where an unknown id gets ${short(other)}`]),
            ...(expected(request, places).includes(got.status)
              ? []
              : [`${what} answered ${got.status}: ${short(one)}`]),
            ...leaks(one).map((leak) => `${what} told ${leak}`),
          ]
        })
      }),
    )
    expect(wrong).toEqual([])
    expect(await rows()).toEqual(before)
  })

  test('cursors get a response equal to that for unknown cursors of the same instant', async () => {
    const lists = operations.filter(({ parameters }) =>
      parameters?.some(({ name, schema }) => name === 'after' && prefixOf(schema)),
    )
    expect(lists.length).toBeGreaterThan(10)
    const wrong = await findings(lists, async (operation) => {
      const parameter = (name: string) => operation.parameters!.find((one) => one.name === name)?.schema
      const prefix = prefixOf(parameter('after')!)!
      const [request] = requestsOf(document, operation, his)
      const foreign = valueFor(hers, { prefix })
      const unknown = foreign.slice(0, -22) + newId(prefix).slice(-22)
      const values = (name: string) => (parameter(name)?.enum as string[] | undefined) ?? ['']
      const pages = values('order').flatMap((order) =>
        values('order_by').flatMap((order_by) =>
          ['after', 'before'].filter(parameter).map((cursor) => ({ order, order_by, cursor })),
        ),
      )
      return findings(pages, async ({ cursor, ...page }) => {
        const ask = (id: string) => send(server.bob, { ...request!, query: { ...page, limit: '2', [cursor]: id } })
        const [one, other] = [plain(await ask(foreign), [foreign]), plain(await ask(unknown), [unknown])]
        const what = `${operation.operationId} ${cursor} hers, ${JSON.stringify(page)}`
        return [
          ...(one === other ? [] : [`${what} answered ${short(one)}, where an unknown cursor gets ${short(other)}`]),
          ...leaks(one).map((leak) => `${what} told ${leak}`),
        ]
      })
    })
    expect(wrong).toEqual([])
  })

  test('resources are in no response to any query', async () => {
    const wrong = await findings(
      operations.filter(({ method }) => method === 'GET'),
      async (operation) =>
        findings(requestsOf(document, operation, his), async (request) => {
          const reply = await send(server.bob, { ...request, query: { ...everything(operation), ...request.query } })
          return [
            ...(reply.status === (EXCUSED[operation.operationId] ?? 200)
              ? []
              : [`${operation.operationId} answered ${reply.status}`]),
            ...leaks(JSON.stringify(reply)).map((leak) => `${operation.operationId} told ${leak}`),
          ]
        }),
    )
    expect(wrong).toEqual([])
  })

  test('organizations, users and keys are invisible to an admin', async () => {
    const { bob } = server
    const ids = async (url: string) => (await bob.get(url)).body.map(({ id }: { id: string }) => id)
    expect(await ids('/v1/admin/orgs/')).toEqual([his.organizationId])
    const users = (await bob.get('/v1/admin/users/')).body
    expect(users.map((user: { organization_id: string }) => user.organization_id)).toEqual(
      users.map(() => his.organizationId),
    )
    expect(users.map(({ id }: { id: string }) => id)).toContain(his.one.user)
    expect(await ids('/v1/api-keys/')).toContain(his.one.api_key)
    expect(await ids('/v1/api-keys/')).not.toContain(hers.one.api_key)
    expect((await bob.post('/v1/admin/orgs/', { name: 'More' })).status).toBe(403)
  })

  test('an admin renames the own organization, but only the operator gives it privileged tools', async () => {
    const { alice, bob } = server
    const url = `/v1/admin/orgs/?org_id=${his.organizationId}`
    for (const privileged_tools of [true, false]) {
      const refused = await bob.patch(url, { name: 'Mine', privileged_tools })
      expect([refused.status, refused.body.detail]).toEqual([
        403,
        'Only the organization that runs this server can set privileged_tools.',
      ])
    }
    expect((await bob.patch(url, { name: 'Ours' })).body).toMatchObject({ name: 'Ours', privileged_tools: false })
    expect((await alice.patch(url, { privileged_tools: true })).body.privileged_tools).toBe(true)
    expect((await bob.patch(url, { name: 'Still ours' })).body.privileged_tools).toBe(true)
  })
})

test('every operation succeeds with one’s own ids, so that only foreign ids made it fail', async () => {
  const client = await newOrganization(server, 'Carol')
  const own = await populate(client, server.database, 'Carol')
  const wrong = await findings(inWorkingOrder(operations), async (operation) =>
    findings(requestsOf(document, operation, own), async (request) => {
      const { status, body } = await send(client, request)
      const success = Number(Object.keys(operation.responses).find((code) => code.startsWith('2')))
      const wanted = EXCUSED[operation.operationId] ?? success
      const sent = JSON.stringify(request.body)
      return status === wanted ? [] : [`${operation.operationId} ${sent} answered ${status}: ${JSON.stringify(body)}`]
    }),
  )
  expect(wrong).toEqual([])
})
