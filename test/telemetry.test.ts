import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, useTestServer } from './server.ts'

interface Attribute {
  key: string
  value: { stringValue?: string; intValue?: number }
}

interface Span {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: Attribute[]
}

const SEND = '!call memory_insert {"label": "human", "new_string": "Tea."}'
const AGENT = { memory_blocks: [{ label: 'human', value: 'Ada.' }] }

/** A receiver of OTLP over HTTP, with the bodies of the requests by their paths. */
async function startReceiver() {
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect
  const received: Record<string, any[]> = {}
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    received[request.url!] = [...(received[request.url!] ?? []), body]
    response.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, close: () => server.close() }
}

const attribute = ({ attributes }: Span, name: string) => attributes.find(({ key }) => key === name)?.value

describe('with an OTLP receiver', () => {
  let receiver: Awaited<ReturnType<typeof startReceiver>>
  const CALLER = '0af7651916cd43dd8448eb211c80319c'
  let spans: Span[]
  let steps: { trace_id?: string }[]
  beforeAll(async () => {
    receiver = await startReceiver()
    const server = await startTestServer({ otlpEndpoint: receiver.url, defaultModel: 'cairn/scripted' })
    const { body: agent } = await server.alice.post('/v1/agents/', AGENT)
    const traceparent = `00-${CALLER}-b7ad6b7169203331-01`
    await server.alice.post(`/v1/agents/${agent.id}/messages`, { input: SEND }, { traceparent })
    steps = (await server.alice.get(`/v1/steps/?trace_ids=${CALLER}`)).body
    await server.close()
    spans = receiver.received['/v1/traces']!.flatMap(({ resourceSpans }) => resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans)
      .flatMap((scope: { spans: Span[] }) => scope.spans)
  })
  afterAll(() => receiver.close())

  test('a request, its run, the calls of the model and of tools are spans of the caller’s trace', () => {
    const own = spans.filter(({ traceId }) => traceId === CALLER)
    expect(own.map(({ name }) => name).sort()).toEqual([
      'POST /v1/agents/:agent_id/messages',
      'chat scripted',
      'chat scripted',
      'execute_tool memory_insert',
      'invoke_agent',
    ])
    const named = (name: string) => own.find((span) => span.name === name)!
    expect(named('invoke_agent').parentSpanId).toBe(named('POST /v1/agents/:agent_id/messages').spanId)
    for (const name of ['chat scripted', 'execute_tool memory_insert']) {
      expect([name, named(name).parentSpanId]).toEqual([name, named('invoke_agent').spanId])
    }
    expect(attribute(named('invoke_agent'), 'cairn.run.status')).toEqual({ stringValue: 'completed' })
    expect(attribute(named('chat scripted'), 'gen_ai.usage.input_tokens')?.intValue).toBeGreaterThan(0)
    expect(attribute(named('execute_tool memory_insert'), 'gen_ai.tool.name')).toEqual({ stringValue: 'memory_insert' })
  })

  test('the steps of a run are found by the trace', () => {
    expect(steps.map(({ trace_id }) => trace_id)).toEqual([CALLER, CALLER])
  })

  test('no span holds what users or models wrote', () => {
    expect(JSON.stringify(spans)).not.toContain('Tea.')
  })

  test('metrics are sent', () => {
    const text = JSON.stringify(receiver.received['/v1/metrics'])
    for (const name of ['gen_ai.client.token.usage', 'http.server.request.duration', 'cairn.runs.ended']) {
      expect(text).toContain(`"name":"${name}"`)
    }
  })
})

describe('the metrics of a server', () => {
  const server = useTestServer({ defaultModel: 'cairn/scripted' })

  test('are text for Prometheus: requests, runs, steps, tokens, connections', async () => {
    const { alice } = server
    const { body: agent } = await alice.post('/v1/agents/', AGENT)
    await alice.post(`/v1/agents/${agent.id}/messages`, { input: SEND, streaming: true })
    const { status, headers, body } = await alice.get<string>('/metrics')
    expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^text\/plain; version=0\.0\.4/)])
    for (const line of [
      /^http_server_request_duration_count\{http_request_method="POST",http_route="\/v1\/agents\/:agent_id\/messages",http_response_status_code="200"\} 1$/m,
      /^cairn_runs_ended_total\{cairn_run_status="completed",cairn_run_stop_reason="end_turn"\} 1$/m,
      /^cairn_runs_active\{cairn_run_status="waiting"\} 0$/m,
      /^cairn_steps_total 2$/m,
      /^gen_ai_client_token_usage_count\{[^}]*gen_ai_token_type="output"[^}]*\} 2$/m,
      /^db_client_connection_pending_requests 0$/m,
      /^cairn_stream_readers 0$/m,
    ]) {
      expect(body).toMatch(line)
    }
  })

  test('count the calls that summarize, and those of a text alone', async () => {
    const { alice } = server
    const { id } = (await alice.post('/v1/agents/', AGENT)).body
    const calls = async () => {
      const { body } = await alice.get<string>('/metrics')
      const lines = body.matchAll(/^gen_ai_client_token_usage_count\{[^}]*gen_ai_token_type="output"[^}]*\} (\d+)$/gm)
      return [...lines].reduce((sum, [, count]) => sum + Number(count), 0)
    }
    await alice.post(`/v1/agents/${id}/messages`, { input: 'Hello' })
    const before = await calls()
    const compaction_settings = { mode: 'all', model: 'cairn/scripted' }
    expect((await alice.post(`/v1/agents/${id}/summarize`, { compaction_settings })).status).toBe(200)
    expect((await alice.post(`/v1/agents/${id}/generate`, { prompt: 'Hello' })).status).toBe(200)
    expect((await calls()) - before).toBe(2)
  })

  test('are for the organization that runs the server alone', async () => {
    expect((await server.bob.get('/metrics')).status).toBe(403)
    expect((await (await server.withScopes('read', 'write')).get('/metrics')).status).toBe(403)
    expect((await server.client('wrong').get('/metrics')).status).toBe(401)
  })
})
