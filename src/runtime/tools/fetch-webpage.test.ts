import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../test/server.ts'
import { type Answer, type Server, serve } from '../../../test/stand-ins/wire.ts'
import { callTool } from '../../../test/tool-calls.ts'

const server = useTestServer({ defaultModel: 'cairn/scripted' })

const html = (body: string, type = 'text/html') => ({ status: 200, headers: { 'content-type': type }, body })
const to = (location: string) => ({ status: 302, headers: { location } })

const PAGES: Record<string, Answer> = {
  '/page': html('<main><h1>Hello</h1><a href="next">Next</a></main><nav>Menu</nav>'),
  '/latin': html('<p>caf\\351</p>'.replace('\\351', '&eacute;'), 'text/html; charset=iso-8859-1'),
  '/text': html('one\ntwo', 'text/plain'),
  '/moved': to('/hop'),
  '/hop': to('/page'),
  '/round': to('/round'),
  '/out': to('file:///etc/passwd'),
  '/image': html('x', 'image/png'),
  '/empty': html('<script>1</script>'),
  '/large': html('x'.repeat(11 * 1024 * 1024)),
}

let site: Server
let agent: string
beforeAll(async () => {
  site = await serve(({ path }) => PAGES[path] ?? { status: 404, body: 'gone' })
  agent = await agentOf(server.alice)
})
afterAll(() => site.close())

const agentOf = async (client: Client) =>
  (await client.post('/v1/agents/', { name: 'Reader', tools: ['fetch_webpage'] })).body.id

const read = (path: string) => callTool(server.alice, agent, 'fetch_webpage', { url: `${site.url}${path}` })

describe('a web page', () => {
  test('is read as Markdown, also where redirects lead', async () => {
    const expected = { status: 'success', tool_return: `# Hello\n\n[Next](${site.url}/next)` }
    expect(await read('/page')).toEqual(expected)
    expect(await read('/moved')).toEqual(expected)
  })

  test('is read in its character set, and text as it is', async () => {
    expect((await read('/latin')).tool_return).toBe('café')
    expect((await read('/text')).tool_return).toBe('one\ntwo')
  })

  test.each([
    ['/gone', '404'],
    ['/round', 'redirects more than 5 times'],
    ['/out', 'http and https'],
    ['/image', 'image/png'],
    ['/empty', 'holds no text'],
    ['/large', 'bytes'],
  ])('%s can’t be read, and the model reads why', async (path, reason) => {
    const { status, tool_return } = await read(path)
    expect([status, tool_return]).toEqual(['error', expect.stringContaining(reason)])
  })

  test('that never responds ends with its run', async () => {
    site.otherwise = ({ path }) => (path === '/never' ? 'never' : undefined)
    const sent = server.alice.post(`/v1/agents/${agent}/messages`, {
      input: `!call fetch_webpage ${JSON.stringify({ url: `${site.url}/never` })}`,
    })
    await expect.poll(() => site.asked.some(({ path }) => path === '/never')).toBe(true)
    await server.alice.post(`/v1/agents/${agent}/messages/cancel`, {})
    expect((await sent).body.stop_reason.stop_reason).toBe('cancelled')
  })
})

describe('where private networks are not allowed', () => {
  const strict = useTestServer({ defaultModel: 'cairn/scripted', allowedNetworks: [] })

  test.each([
    'http://127.0.0.1:8283/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'file:///etc/passwd',
  ])('an agent reads nothing at %s', async (url) => {
    const id = await agentOf(strict.bob)
    const { status, tool_return } = await callTool(strict.bob, id, 'fetch_webpage', { url })
    expect([status, tool_return]).toEqual(['error', expect.stringMatching(/CAIRN_ALLOWED_NETWORKS|http and https/)])
  })
})
