import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ScriptedModel, startScriptedModel } from '../../test/models/scripted/model.ts'
import { useTestServer } from '../../test/server.ts'
import { type Server, serve } from '../../test/stand-ins/wire.ts'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const png = { 'content-type': 'image/png' }

const server = useTestServer({ bodyLimit: 8 * 1024 * 1024 })
let model: ScriptedModel
let site: Server
beforeAll(async () => {
  model = await startScriptedModel()
  site = await serve(({ path }) => {
    if (path === '/text') return { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>' }
    if (path === '/huge') return { status: 200, headers: png, body: 'x'.repeat(5 * 1024 * 1024 + 1) }
    return path === '/tiny.png' ? { status: 200, headers: png, body: 'tiny' } : { status: 404 }
  })
})
afterAll(async () => {
  await model.close()
  await site.close()
})

async function makeAgent(): Promise<string> {
  const { body } = await server.alice.post('/v1/agents/', {
    llm_config: {
      model: 'scripted',
      model_endpoint_type: 'openai',
      model_endpoint: model.url,
      context_window: 128_000,
    },
  })
  return body.id
}

const send = (id: string, source: object) =>
  server.alice.post(`/v1/agents/${id}/messages`, {
    input: [
      { type: 'text', text: 'See.' },
      { type: 'image', source },
    ],
  })

const tiny = Buffer.from('tiny').toString('base64')

describe('an image in a message', () => {
  test.each<[string, () => object, string]>([
    ['with its data', () => ({ type: 'base64', media_type: 'image/png', data: PIXEL }), PIXEL],
    ['by its URL, which the server reads,', () => ({ type: 'url', url: `${site.url}/tiny.png` }), tiny],
    ['by a data URL', () => ({ type: 'url', url: `data:image/png;base64,${PIXEL}` }), PIXEL],
  ])('%s reaches the model, and is stored with its data', async (_, source, data) => {
    const id = await makeAgent()
    expect(await send(id, source())).toMatchObject({ status: 200 })
    expect(model.requests.at(-1)!.body.messages.at(-1).content[1].image_url.url).toBe(`data:image/png;base64,${data}`)
    const [kept] = (await server.alice.get(`/v1/agents/${id}/messages?order=desc&limit=2`)).body.slice(-1)
    expect(kept.content[1].source).toEqual({ type: 'base64', media_type: 'image/png', data })
  })

  test('of more than a megabyte reaches the model', async () => {
    const data = 'A'.repeat(4_000_000)
    expect(await send(await makeAgent(), { type: 'base64', media_type: 'image/jpeg', data })).toMatchObject({
      status: 200,
    })
    expect(model.requests.at(-1)!.body.messages.at(-1).content[1].image_url.url).toHaveLength(
      'data:image/jpeg;base64,'.length + data.length,
    )
  })

  test.each<[string, () => object, string]>([
    ['of a network that is not allowed', () => ({ url: 'http://169.254.169.254/a.png' }), 'CAIRN_ALLOWED_NETWORKS'],
    ['of another scheme', () => ({ url: 'file:///etc/passwd' }), 'only http, https and data'],
    ['that is not there', () => ({ url: `${site.url}/none.png` }), 'the address answers with 404'],
    ['that is none', () => ({ url: `${site.url}/text` }), 'its media type is no image'],
    ['that is too large', () => ({ url: `${site.url}/huge` }), 'more than 5242880 bytes'],
    ['whose data is no base64', () => ({ media_type: 'image/png', data: 'é' }), 'must be base64'],
    ['without a media type', () => ({ data: PIXEL }), 'media_type'],
    ['without data', () => ({ type: 'base64' }), 'needs an url'],
  ])('%s is a 400, and nothing is kept', async (_, source, reason) => {
    const id = await makeAgent()
    const { status, body } = await send(id, source())
    expect([status, body.detail]).toEqual([400, expect.stringContaining(reason)])
    expect(body.detail).toContain('messages[0].content[1]')
    expect((await server.alice.get(`/v1/agents/${id}/messages`)).body).toHaveLength(1)
  })

  test('by its URL counts towards a limit of images for each request', async () => {
    const image = { type: 'image', source: { url: `${site.url}/tiny.png` } }
    const { status, body } = await server.alice.post(`/v1/agents/${await makeAgent()}/messages`, {
      input: Array(9).fill(image),
    })
    expect([status, body.detail]).toEqual([400, expect.stringContaining('at most 8 images')])
  })
})
