import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../test/server.ts'
import { type Server, serve } from '../../test/stand-ins/wire.ts'

const TOKENS = [
  { token: 'Good', logprob: -0.25, top_logprobs: [{ token: 'Good', logprob: -0.25 }] },
  { token: ' day', logprob: -0.5, top_logprobs: [{ token: ' day', logprob: -0.5 }] },
]

/** Streams as vLLM does. */
async function* answer() {
  const head = { id: 'chat', object: 'chat.completion.chunk', created: 1, model: 'local' }
  for (const [n, content] of TOKENS.entries()) {
    const choice = {
      index: 0,
      delta: { content: content.token },
      logprobs: { content: [content] },
      token_ids: [40 + n],
    }
    yield Buffer.from(`data: ${JSON.stringify({ ...head, choices: [choice] })}\n\n`)
  }
  yield Buffer.from(
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`,
  )
  yield Buffer.from('data: [DONE]\n\n')
}

let vllm: Server
let server: TestServer
beforeAll(async () => {
  vllm = await serve(() => ({ status: 200, headers: { 'content-type': 'text/event-stream' }, body: answer() }))
  server = await startTestServer({ providers: [{ name: 'vllm', type: 'vllm', baseUrl: `${vllm.url}/v1` }] })
})
afterAll(async () => {
  await server.close()
  await vllm.close()
})

test('a caller gets the probabilities and the ids of the tokens where the provider gives them', async () => {
  const { body: agent } = await server.alice.post('/v1/agents/', { name: 'Trained', model: 'vllm/local' })
  const wishes = { input: 'Hello', return_logprobs: true, top_logprobs: 1, return_token_ids: true }
  const { status, body } = await server.alice.post(`/v1/agents/${agent.id}/messages`, wishes)
  expect(status).toBe(200)
  expect(body.messages.at(-1).content).toBe('Good day')
  expect(vllm.asked.at(-1)!.body).toMatchObject({ logprobs: true, top_logprobs: 1, return_token_ids: true })
  expect(body.logprobs).toEqual({ content: TOKENS })
  const output_token_logprobs = [
    [-0.25, 40, null],
    [-0.5, 41, null],
  ]
  expect(body.turns).toEqual([{ role: 'assistant', output_ids: [40, 41], output_token_logprobs }])
  const { body: plain } = await server.alice.post(`/v1/agents/${agent.id}/messages`, { input: 'Hello' })
  expect([plain.logprobs, plain.turns]).toEqual([undefined, undefined])
})
