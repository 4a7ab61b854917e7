import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { committedOpenApi, openApiText } from '../scripts/openapi.ts'
import { bodyOf, type Document, documentOf, type Operation, operationsOf } from './operations.ts'
import { startTestServer, type TestServer } from './server.ts'

let server: TestServer
let document: Document
let operations: Operation[]
beforeAll(async () => {
  server = await startTestServer()
  document = documentOf(server.app)
  operations = operationsOf(server.app)
})
afterAll(() => server.close())

/** The document, the page that shows it, the console and metrics are no operations of the API. Messages can't be changed. */
const ASIDE = /^\/($|console|docs|openapi\.json|metrics$|v1\/(agents|groups)\/[^/]+\/messages\/:message_id$)/

/** The paths of the router, from the tree it prints: one level is four characters deep. */
function routedPaths(): string[] {
  const parents: string[] = []
  const lines = server.app.printRoutes({ commonPrefix: false }).split('\n')
  return lines.flatMap((line) => {
    const found = /^((?:│ {3}| {4})*)[├└]── (\S*) \(/.exec(line)
    if (!found) return []
    const depth = found[1]!.length / 4
    parents[depth] = (parents[depth - 1] ?? '') + found[2]!
    return ASIDE.test(parents[depth]) ? [] : [parents[depth]]
  })
}

/** A path without the names of its parameters: the router gives all names that a place in a path goes by. */
const unnamed = (path: string) => path.replace(/\{\w+\}(\|\{\w+\})*/g, '{}')

const withoutSlash = (path: string) => path.replace(/\/$/, '')

/** The methods of a path: no path has OPTIONS, so its 405 lists the others. */
async function allowed(path: string): Promise<string[]> {
  const { headers, statusCode } = await server.app.inject({ method: 'OPTIONS', url: path.replace(/:\w+/g, 'x') })
  expect([path, statusCode]).toEqual([path, 405])
  return String(headers.allow)
    .split(', ')
    .filter((method) => method !== 'HEAD')
}

describe('the OpenAPI document', () => {
  test('lists exactly the operations that the server has', async () => {
    const answered: string[] = []
    // An endpoint of another protocol, with methods for all of its revisions.
    for (const path of routedPaths().filter((one) => one !== '/mcp')) {
      for (const method of await allowed(path)) answered.push(`${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    }
    const documented = operations.map(({ method, path }) => unnamed(`${method} ${withoutSlash(path)}`))
    expect(answered.length).toBeGreaterThan(50)
    expect(answered.map(withoutSlash).map(unnamed).sort()).toEqual(documented.sort())
  })

  test('gives every operation a name of its own, a summary and a tag', () => {
    const names = operations.map(({ operationId }) => operationId)
    expect(new Set(names).size).toBe(names.length)
    const bare = operations.filter(
      ({ operationId, summary, tags }) => !/^[a-z]+(_[a-z\d]+)+$/.test(operationId ?? '') || !summary || !tags?.length,
    )
    expect(bare.map(({ operationId, path }) => operationId ?? path)).toEqual([])
  })

  test('describes every path and query parameter', () => {
    const wrong = operations.flatMap(({ operationId, path, parameters = [] }) => {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      const described = parameters.filter(({ in: where, required }) => where === 'path' && required)
      const untyped = parameters.filter(({ schema }) => !schema.type && !schema.$ref && !schema.anyOf)
      return [
        ...(inPath.join() === described.map(({ name }) => name).join() ? [] : [`${operationId}: path parameters`]),
        ...untyped.map(({ name }) => `${operationId}: ${name} has no type`),
      ]
    })
    expect(wrong).toEqual([])
  })

  test('documents the response of every operation: success, and every error as problem details', () => {
    const wrong = operations.flatMap((operation) => {
      const { operationId, method, path, responses, security } = operation
      const open = security?.length === 0
      const errors = open ? [503] : [401, 403, 404, 422, 429, 503]
      if (!open && method !== 'GET') errors.push(409)
      if (bodyOf(operation)) errors.push(400, 413, 415)
      if (path.includes('{')) errors.push(400)
      if (method !== 'GET' && path.includes('{')) errors.push(412)
      if (operationId.startsWith('upsert_')) errors.push(412)
      const success = Object.keys(responses).filter((status) => status.startsWith('2'))
      const problems = Object.entries(responses).filter(([status]) => status >= '400')
      return [
        ...(['200', '204'].includes(success.join())
          ? []
          : [`${operationId}: success is ${success.join() || 'missing'}`]),
        ...errors.filter((status) => !responses[status]).map((status) => `${operationId}: ${status} is missing`),
        ...(success[0] === '204' || Object.values(responses[success[0]!]?.content ?? {})[0]?.schema
          ? []
          : [`${operationId}: no schema of its answer`]),
        ...problems
          .filter(([, { content }]) => Object.keys(content ?? {}).join() !== 'application/problem+json')
          .map(([status]) => `${operationId}: ${status} is no application/problem+json`),
        ...problems
          .filter(([, { content }]) => !content?.['application/problem+json']?.schema.$ref?.endsWith('/Problem'))
          .map(([status]) => `${operationId}: ${status} is no Problem`),
      ]
    })
    expect(wrong).toEqual([])
  })

  test('describes the keys of repeated requests as the server takes them', async () => {
    const keys = operations.flatMap(({ parameters = [] }) =>
      parameters.filter(({ name }) => name === 'idempotency-key'),
    )
    const patterns = [...new Set(keys.map(({ schema }) => schema.pattern))]
    expect(patterns).toHaveLength(1)
    const pattern = new RegExp(patterns[0]!)
    const tag = (key: string) =>
      server.alice.post('/v1/blocks/', { label: 'key', value: '' }, { 'idempotency-key': key })
    for (const key of ['a', '"a b"', 'a b', '~'.repeat(255), '"', '""', 'a"b', '"a"b', '~'.repeat(256), 'é']) {
      expect([key, (await tag(key)).status]).toEqual([key, pattern.test(key) ? 200 : 422])
    }
  })

  test('refers to nothing that is not in it', () => {
    const names = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1]!)
    const known = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)
    expect([...new Set(names)].filter((name) => !known.includes(name))).toEqual([])
  })

  test('is the one that is committed as openapi.json', () => {
    // Not compared by `toBe`: the difference of two long texts says less than the remedy.
    const same = committedOpenApi() === openApiText(server.app)
    expect(same, 'openapi.json is not what the code describes: run `npm run openapi`').toBe(true)
  })

  test('is public, like the page that shows it', async () => {
    const { app } = server
    const json = await app.inject({ url: '/openapi.json' })
    expect(json.statusCode).toBe(200)
    expect(json.headers['content-type']).toMatch(/^application\/json/)
    expect(json.json().openapi).toMatch(/^3\.1\./)
    expect(json.json()).toEqual(JSON.parse(JSON.stringify(document)))
    const page = await app.inject({ url: '/docs/' })
    expect(page.statusCode).toBe(200)
    expect(page.headers['content-type']).toMatch(/^text\/html/)
    expect(page.body).toContain('<html')
  })
})
