import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../server.ts'
import { missingPrograms, VERCEL } from './packages.ts'

const missing = await missingPrograms()
if (missing) console.log(`The provider of Vercel's AI SDK is left out: ${missing}`)

describe.skipIf(missing)('the provider of Vercel’s AI SDK', () => {
  let server: TestServer
  let agent: string
  // biome-ignore lint/suspicious/noExplicitAny: the packages are fetched, so their types aren't there
  let sdk: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  let letta: any
  beforeAll(async () => {
    server = await startTestServer({ defaultModel: 'cairn/scripted' })
    const url = await server.app.listen({ port: 0, host: '127.0.0.1' })
    const body = { name: 'Ada', memory_blocks: [{ label: 'human', value: 'Ada.' }] }
    agent = (await server.alice.post('/v1/agents/', body)).body.id
    sdk = await import(VERCEL.sdk)
    const { createLetta } = await import(VERCEL.provider)
    letta = createLetta({ baseUrl: `${url}/letta`, token: server.alice.key })
  })
  afterAll(() => server.close())

  const request = (prompt: string) => ({
    model: letta(),
    providerOptions: { letta: { agent: { id: agent } } },
    tools: { memory_insert: letta.tool('memory_insert') },
    prompt,
  })

  test('generates an answer, with the calls of the agent’s tools', async () => {
    const { text } = await sdk.generateText(request('Good morning'))
    expect(text).toContain('Good morning')
    await sdk.generateText(request('!call memory_insert {"label": "human", "new_string": "Tea."}'))
    expect((await server.alice.get(`/v1/agents/${agent}/core-memory/blocks/human`)).body.value).toBe('Ada.\nTea.')
  })

  test('streams an answer', async () => {
    let text = ''
    for await (const piece of sdk.streamText(request('Good evening')).textStream) text += piece
    expect(text).toContain('Good evening')
  })
})
