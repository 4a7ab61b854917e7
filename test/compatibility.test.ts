import { describe, expect, test } from 'vitest'
import { committedPage, currentPage } from '../scripts/compatibility.ts'
import { useTestServer } from './server.ts'

const server = useTestServer()

interface Claim {
  method: string
  path: string
  state: string
  difference: string
}

/** The page's line of each operation. */
const claims: Claim[] = [...committedPage().matchAll(/^\| `([A-Z]+) (\S+)` \| (\w+) \| (.*) \|$/gm)].map(
  ([, method, path, state, difference]) => ({ method: method!, path: path!, state: state!, difference: difference! }),
)
const absent = claims.filter(({ state }) => state === 'absent')
const present = claims.filter(({ state }) => state !== 'absent')

const UUID = '00000000-0000-4000-8000-000000000000'

/** A path with something in the place of each parameter: an id of nothing where an id is meant. */
const filled = (path: string) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const kind = /^(\w+?)(_id|Id)$/.exec(name)?.[1]
    return kind ? `${kind === 'folder' ? 'source' : kind}-${UUID}` : 'x'
  })

/** The response of the surface for Letta clients: its status, and whether the operation is absent, as the page says. */
async function probe({ method, path, difference }: Claim) {
  const { status, body } = await server.alice.call(method, `/letta${filled(path)}`)
  const gone = status === 405 || (status === 404 && String(body.detail).startsWith('There is nothing at'))
  const isEmptyList = difference.endsWith('an empty list until then') && [200, 404].includes(status)
  return { status, gone: gone || isEmptyList }
}

async function answers(asked: readonly Claim[]) {
  const found: (Claim & Awaited<ReturnType<typeof probe>>)[] = []
  for (const claim of asked) found.push({ ...claim, ...(await probe(claim)) })
  return found
}

const written = (found: readonly Claim[]) => found.map(({ method, path }) => `${method} ${path}`)

describe('the compatibility page', () => {
  test('matches the OpenAPI document and the facts of the Letta API', () => {
    // Not compared by `toBe`: the difference of two long texts says less than the remedy.
    const same = committedPage() === currentPage()
    expect(same, 'docs/compatibility.md is not true any more: run `npm run compatibility`').toBe(true)
  })

  test('lists every operation, with its differences', () => {
    expect(claims).toHaveLength(302)
    expect(new Set(written(claims)).size).toBe(302)
    const silent = claims.filter(({ state, difference }) => (state === 'identical') !== (difference === ''))
    expect(written(silent)).toEqual([])
  })

  test('lists no operation as absent that exists', async () => {
    const there = (await answers(absent)).filter(({ gone }) => !gone)
    expect(there.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([])
  })

  test('lists no operation as present that is absent or fails with a server error', async () => {
    const found = await answers(present)
    expect(written(found.filter(({ gone }) => gone))).toEqual([])
    expect(written(found.filter(({ status }) => status >= 500))).toEqual([])
  })

  test('names limits that hold', async () => {
    const { alice } = server
    const { id } = (await alice.post('/letta/v1/archives/', { name: 'A' })).body
    const url = `/letta/v1/archives/${id}/passages`
    const [plain, asked] = [await alice.post(url, { text: 'x' }), await alice.get(`${url}?include=passage.embedding`)]
    expect([plain.body.embedding, plain.body.is_deleted]).toEqual([null, undefined])
    expect(asked.body[0].embedding).toHaveLength(512)
  })

  test('is right that unknown query parameters and body fields are ignored', async () => {
    const { alice } = server
    expect((await alice.get('/letta/v1/archives/?nothing=1')).status).toBe(200)
    const made = await alice.post('/letta/v1/archives/', { name: 'A', nothing: 1 })
    expect([made.status, 'nothing' in made.body]).toEqual([200, false])
  })
})
