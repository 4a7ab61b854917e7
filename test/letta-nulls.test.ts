import { beforeAll, expect, test } from 'vitest'
import { FIELDS } from '../src/lib/vendor-names.ts'
import { type Document, documentOf, type Operation, operationsOf, resolve, type Schema } from './operations.ts'
import { requestsOf, send } from './places.ts'
import { type Populated, populate } from './populate.ts'
import { type Client, useTestServer } from './server.ts'

const server = useTestServer()
let document: Document
let reads: Operation[]
let held: Populated
beforeAll(async () => {
  held = await populate(server.alice, server.database, 'Alicia')
  document = documentOf(server.app)
  reads = operationsOf(server.app).filter(({ method }) => method === 'GET')
})

/** Shapes of the hosted service, which leaves out fields without a value. */
const HOSTED = ['ClientSideAccessToken', 'Project', 'Template', 'TemplateSnapshot']

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Whether a value may be of a variant: the constants of the variant don't contradict. */
const fits = (variant: Schema, value: unknown) =>
  isObject(value)
    ? variant.properties !== undefined &&
      // The document has a constant as an enumeration of one value.
      Object.entries(variant.properties).every(
        ([name, field]) => field.enum?.length !== 1 || value[name] === field.enum[0],
      )
    : variant.properties === undefined

/** The fields of shapes that a response lacks, by their paths, and the number of the shapes' fields. */
function lacking(schema: Schema, value: unknown, path = '', named = false): { missing: string[]; checked: number } {
  const name = schema.$ref?.split('/').at(-1)
  const at = resolve(document, schema)
  if (name && HOSTED.includes(name)) return { missing: [], checked: 0 }
  if (at.anyOf) {
    const variant = at.anyOf.find((one) => fits(resolve(document, one), value))
    return variant ? lacking(variant, value, path, named || name !== undefined) : { missing: [], checked: 0 }
  }
  const inner =
    Array.isArray(value) && at.items
      ? value.map((item) => lacking(at.items!, item, `${path}[]`, named))
      : isObject(value)
        ? Object.entries(at.properties ?? {}).map(([field, one]) => {
            const key = FIELDS[field] ?? field
            const found = lacking(one, value[key], `${path}.${key}`, named || name !== undefined)
            const isMissing = (named || name !== undefined) && !(key in value)
            return { missing: [...found.missing, ...(isMissing ? [`${path}.${key}`] : [])], checked: found.checked + 1 }
          })
        : []
  return {
    missing: inner.flatMap(({ missing }) => missing),
    checked: inner.reduce((sum, { checked }) => sum + checked, 0),
  }
}

/** A client of the surface for Letta clients. */
const letta = (client: Client): Client => ({
  ...client,
  call: (method, url, ...rest) => client.call(method, `/letta${url}`, ...rest),
})

test('under /letta, every field of every shape is there, also without a value, on every read', async () => {
  const seen = new Set<string>()
  let fields = 0
  for (const operation of reads) {
    for (const request of requestsOf(document, operation, held)) {
      const { status, body } = await send(letta(server.alice), request)
      const schema = operation.responses[status]?.content?.['application/json']?.schema
      if (!schema) continue
      const { missing, checked } = lacking(schema, body)
      for (const path of missing) seen.add(`${operation.operationId}${path}`)
      fields += checked
    }
  }
  expect([...seen]).toEqual([])
  expect(fields).toBeGreaterThan(2000)
})

test('under /letta, creating and changing resources gives the fields that reading them gives', async () => {
  const { alice, bob } = server
  for (const client of [alice, bob]) {
    const bodies: [string, object][] = [
      ['agents', { name: 'Bare', include_base_tools: false }],
      ['archives', { name: 'Bare' }],
      ['blocks', { label: 'bare', value: '' }],
      ['folders', { name: 'Bare' }],
      ['groups', { agent_ids: [], description: 'Bare' }],
      ['identities', { identifier_key: 'bare', name: 'Bare', identity_type: 'user' }],
      ['tools', { source_code: 'def bare():\n    """Bare."""\n', pip_requirements: [{ name: 'dice' }] }],
    ]
    for (const [path, body] of bodies) {
      const made = await client.post(`/letta/v1/${path}/`, body)
      const read = await client.get(`/letta/v1/${path}/${made.body.id}`)
      expect([path, made.body]).toEqual([path, read.body])
      const changed = await client.patch(`/letta/v1/${path}/${made.body.id}`, { description: 'changed' })
      expect([path, Object.keys(changed.body).sort()]).toEqual([path, Object.keys(read.body).sort()])
      const neutral = await client.get(`/v1/${path}/${made.body.id}`)
      expect(Object.values(neutral.body)).not.toContain(null)
    }
  }
})

test('under /letta, passages have no vector unless it is asked for, and lists have no null', async () => {
  const { alice } = server
  const agent = (await alice.post('/letta/v1/agents/', { name: 'Ada' })).body
  expect(agent).toMatchObject({ description: null, tool_rules: expect.any(Array), identities: [], secrets: [] })
  const archive = (await alice.post('/letta/v1/archives/', { name: 'Notes' })).body
  const url = `/letta/v1/archives/${archive.id}/passages`
  expect((await alice.post(url, { text: 'Tea.' })).body).toMatchObject({ embedding: null, tags: [], metadata: {} })
  expect((await alice.post(`${url}/batch`, { passages: [{ text: 'Tea.' }] })).body).toMatchObject([{ embedding: null }])
  const found = await alice.post('/letta/v1/passages/search', { archive_id: archive.id })
  expect(found.body).toMatchObject([{ passage: { embedding: null } }, { passage: { embedding: null } }])
})
