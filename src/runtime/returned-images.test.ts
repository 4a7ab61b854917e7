import { expect, test } from 'vitest'
import { useTestServer } from '../../test/server.ts'
import { PIXEL, startMcp } from '../../test/stand-ins/mcp.ts'

const apiKey = 'any'
const server = useTestServer({
  defaultModel: 'cairn/scripted',
  providers: [
    { name: 'anthropic', type: 'anthropic', apiKey },
    { name: 'openai', type: 'openai', apiKey },
    { name: 'google_ai', type: 'google_ai', apiKey },
  ],
})

const image = (source: object) => ({ type: 'image', source })
const pixel = image({ type: 'base64', media_type: 'image/png', data: PIXEL })

/** An agent whose call of a caller's tool has returned these parts, and the response. */
async function returned(parts: readonly object[]) {
  const { alice } = server
  const { id } = (await alice.post('/v1/agents/', {})).body
  const url = `/v1/agents/${id}/messages`
  const client_tools = [{ name: 'look', parameters: { type: 'object', properties: {} } }]
  const asked = await alice.post(url, { input: '!call look {}', client_tools })
  const { tool_call_id } = asked.body.messages[0].tool_calls[0]
  const tool_returns = [{ type: 'tool', tool_call_id, status: 'success', tool_return: parts }]
  const messages = [{ type: 'tool_return', tool_returns }]
  return { url, response: await alice.post(url, { messages, client_tools }) }
}

test('an image that a tool of the caller returns stays an image, for the models that take it there', async () => {
  const { alice } = server
  const { url, response } = await returned([{ type: 'text', text: 'See.' }, pixel])
  expect(response.body.messages[0]).toMatchObject({
    tool_return: 'See.\n[image]',
    tool_returns: [{ tool_return: [{ type: 'text', text: 'See.' }, pixel] }],
  })
  const preview = async (override_model: string) => {
    const { status, body } = await alice.post(`${url}/preview-raw-payload`, { input: 'And?', override_model })
    expect([override_model, status]).toEqual([override_model, 200])
    return JSON.stringify(body)
  }
  for (const model of ['anthropic/claude-sonnet-4-5', 'openai/gpt-5', 'google_ai/gemini-2.5-flash']) {
    expect([model, await preview(model)]).toEqual([model, expect.stringContaining(PIXEL)])
  }
  const chat = await preview('openai/gpt-4o')
  expect(chat).toContain('[image]')
  expect(chat).not.toContain(PIXEL)
})

test('an image that a tool of an MCP server returns stays an image, too', async () => {
  const { alice } = server
  const standIn = await startMcp()
  const blob = { type: 'resource' as const, resource: { uri: 'file:///one.png', mimeType: 'image/png', blob: PIXEL } }
  standIn.tools.look!.run = () => ({
    content: [
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
      { type: 'audio', data: PIXEL, mimeType: 'audio/wav' },
      blob,
    ],
  })
  const config = { server_url: `${standIn.url}/mcp` }
  const one = (await alice.post('/v1/mcp-servers/', { server_name: 'pictures', config })).body
  const look = (await alice.get(`/v1/mcp-servers/${one.id}/tools`)).body.find(
    ({ name }: { name: string }) => name === 'look',
  )
  const { id } = (await alice.post('/v1/agents/', { tool_ids: [look.id] })).body
  const url = `/v1/agents/${id}/messages`
  const { body } = await alice.post(url, { input: '!call look {}' })
  const described = '[image/png, 1 kB] [audio/wav, 1 kB] [file:///one.png, 1 kB]'
  expect(body.messages[1]).toMatchObject({
    tool_return: `${described}\n[image]\n[image]`,
    tool_returns: [{ tool_return: [{ type: 'text', text: described }, pixel, pixel] }],
  })
  const preview = async (override_model: string) =>
    JSON.stringify((await alice.post(`${url}/preview-raw-payload`, { input: 'And?', override_model })).body)
  expect(await preview('anthropic/claude-sonnet-4-5')).toContain(PIXEL)
  const chat = await preview('openai/gpt-4o')
  expect(chat).toContain(described)
  expect(chat).not.toContain(PIXEL)
  await standIn.close()
})

test('an image of a tool that can’t be read is a 400, and the call still waits', async () => {
  const { url, response } = await returned([image({ url: 'file:///etc/passwd' })])
  expect([response.status, response.body.detail]).toEqual([
    400,
    expect.stringContaining('tool_returns[0].tool_return[0]'),
  ])
  expect((await server.alice.post(url, { input: 'Hello?' })).status).toBe(409)
})
