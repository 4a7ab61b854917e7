import Letta from '@letta-ai/letta-client'
import { describe, expect, test } from 'vitest'
import { refused, UNKNOWN, useLetta } from './client.ts'

const server = useLetta()

/** A client that records its requests. */
function counting(client: Letta) {
  const sent: Request[] = []
  return {
    sent,
    client: client.withOptions({
      fetch: (input, init) => {
        const request = new Request(input as string, init as RequestInit)
        sent.push(request)
        return fetch(request)
      },
    }),
  }
}

describe('the SDK', () => {
  test('asks for the health of the server without a key', async () => {
    expect(await server.alice.health()).toEqual({ status: 'ok', version: 'test' })
    expect(await server.alice.withOptions({ apiKey: null as never }).health()).toMatchObject({ status: 'ok' })
  })

  test('throws the error class of the status, with the server’s message, after one request', async () => {
    const { alice } = server
    const folder = await alice.folders.create({ name: 'Taken' })
    const { key } = (await server.neutral.post('/v1/api-keys/', { name: 'reader', scopes: ['read'] })).body
    const reader = server.client(key)
    for (const [from, call, type, text] of [
      [server.client('cairn_wrong'), (c: Letta) => c.folders.list(), Letta.AuthenticationError, /key/],
      [reader, (c: Letta) => c.folders.create({ name: 'x' }), Letta.PermissionDeniedError, /"folders:write"/],
      [alice, (c: Letta) => c.folders.retrieve(`source-${UNKNOWN}`), Letta.NotFoundError, UNKNOWN],
      [alice, (c: Letta) => c.folders.list({ after: 'source-1' }), Letta.UnprocessableEntityError, 'source-<uuid>'],
      [alice, (c: Letta) => c.folders.list({ limit: 0 }), Letta.UnprocessableEntityError, 'at least 1'],
      [alice, (c: Letta) => c.folders.create({ name: 'Taken' }), Letta.ConflictError, /already exists/],
      [alice, (c: Letta) => c.folders.create({} as never), Letta.UnprocessableEntityError, /name/],
      [alice, (c: Letta) => c.get('/v1/nothing'), Letta.NotFoundError, '/letta/v1/nothing'],
      [alice, (c: Letta) => c.put(`/v1/folders/${folder.id}`, { body: {} }), Letta.APIError, '405 PUT is not allowed'],
      [
        alice,
        (c: Letta) => c.folders.update(folder.id, { name: 'x' }, { headers: { 'If-Match': '"9"' } }),
        Letta.APIError,
        /^412 /,
      ],
    ] as const) {
      const { client, sent } = counting(from)
      const error = await refused(call(client), type, text)
      expect(error.headers!.get('x-request-id')).toBe((error.error as { request_id: string }).request_id)
      expect(sent).toHaveLength(1)
    }
  })

  test('reports every validation error by the field names of its own types', async () => {
    const { alice, neutral } = server
    const azure = { embedding_model: 'm', embedding_endpoint_type: 'azure', embedding_dim: 3, azure_endpoint: 5 }
    const config = azure as unknown as Letta.EmbeddingConfig
    const error = await refused(
      alice.agents.create({
        name: 5 as never,
        agent_type: 'magic' as never,
        embedding_config: config,
        secrets: { cloud_endpoint: 5 as never },
      }),
      Letta.UnprocessableEntityError,
      /agent_type: must be one of .*letta_v1_agent/,
    )
    const fields = (error.error as { errors: { field: string }[] }).errors.map(({ field }) => field)
    expect(fields.toSorted()).toEqual([
      'agent_type',
      'embedding_config.azure_endpoint',
      'name',
      // A secret of the caller's, which may be called so.
      'secrets.cloud_endpoint',
    ])
    const folder = alice.folders.create({ name: 'x', embedding_config: config })
    await refused(folder, Letta.UnprocessableEntityError, 'embedding_config.azure_endpoint')
    for (const [query, text] of [
      [{ return_only_letta_tools: 'x' as never }, /return_only_letta_tools: must be true or false/],
      [{ tool_types: ['magic'] }, /tool_types\[0\]: must be one of .*letta_core/],
    ] as const) {
      await refused(alice.tools.list(query as never), Letta.UnprocessableEntityError, text)
    }
    const { body } = await neutral.get('/v1/tools/?tool_types=magic&return_only_svc_tools=x')
    expect(body.detail).toMatch(/return_only_svc_tools.*svc_core|svc_core.*return_only_svc_tools/)
  })

  test('gets a request id with every response', async () => {
    const { client, sent } = counting(server.alice)
    const { response } = await client.blocks.create({ label: 'a', value: 'x' }).withResponse()
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(response.headers.get('x-request-id')).toBeTruthy()
    const named = await client.blocks.list({}, { headers: { 'X-Request-Id': 'the-caller-s' } }).withResponse()
    expect(named.response.headers.get('x-request-id')).toBe('the-caller-s')
    expect(sent[0]!.headers.get('x-stainless-retry-count')).toBe('0')
  })
})
