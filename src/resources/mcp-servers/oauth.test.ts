import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Client, useTestServer } from '../../../test/server.ts'
import { type OAuthStandIn, startMcpWithOAuth } from '../../../test/stand-ins/mcp-oauth.ts'

const server = useTestServer()

let standIn: OAuthStandIn
beforeEach(async () => {
  standIn = await startMcpWithOAuth()
})
afterEach(() => standIn.close())

/** Makes a server, and connects to it; `visit` is the user's part. Returns the server and the events. */
async function connect(client: Client, server_name: string, visit: (url: string) => Promise<void>) {
  const config = { server_url: `${standIn.url}/mcp` }
  const made = (await client.post('/v1/mcp-servers/', { server_name, config })).body
  const base = await server.app.listen({ port: 0, host: '127.0.0.1' }).catch(() => server.app.listeningOrigin)
  const response = await fetch(`${base}/v1/mcp-servers/connect/${made.id}`, {
    headers: { authorization: `Bearer ${client.key}` },
  })
  const events: { event: string; url?: string; tools?: { name: string }[] }[] = []
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const line = text.slice(0, end)
      text = text.slice(end + 2)
      if (!line.startsWith('data: ')) continue
      const event = JSON.parse(line.slice(6))
      events.push(event)
      if (event.url) await visit(event.url)
    }
  }
  return { made, events }
}

describe('an MCP server that wants an authorization', () => {
  test('is let in by a user, and its tokens are renewed once, however many calls find them refused', async () => {
    for (const client of [server.alice, server.bob]) {
      const statuses: number[] = []
      const { made, events } = await connect(client, 'guarded', async (url) => {
        const back = standIn.consent(url)
        for (let n = 0; n < 2; n++) statuses.push((await fetch(back)).status)
      })
      // The state is good once.
      expect(statuses).toEqual([200, 400])
      expect(events.map(({ event }) => event)).toEqual([
        'connection_attempt',
        'oauth_required',
        'authorization_url',
        'waiting_for_auth',
        'success',
      ])
      expect(events.at(-1)!.tools!.map(({ name }) => name)).toEqual(['echo', 'add', 'look', 'fail'])
      const tools = (await client.get(`/v1/mcp-servers/${made.id}/tools`)).body
      const run = () =>
        client.post(`/v1/mcp-servers/${made.id}/tools/${tools[0].id}/run`, { args: { message: 'hello' } })
      standIn.expire()
      const results = await Promise.all([run(), run(), run()])
      expect(results.map(({ body }) => body.func_return)).toEqual(['Echo: hello', 'Echo: hello', 'Echo: hello'])
    }
    const { rows } = await sql<{ row: string }>`select t::text as row from mcp_authorizations t
      union all select t::text from revisions t`.execute(server.database.kysely)
    expect(rows.filter(({ row }) => /access-\d|refresh-\d/.test(row))).toEqual([])
  })

  test('is not let in by a state of nobody, nor of another organization', async () => {
    const { events } = await connect(server.alice, 'refused', async (url) => {
      const back = standIn.consent(url)
      const state = back.searchParams.get('state')!
      for (const wrong of ['x', `${server.organizations.bob}.${state.split('.')[1]}`, `${state}x`]) {
        const forged = new URL(back)
        forged.searchParams.set('state', wrong)
        expect((await fetch(forged)).status).toBe(400)
      }
      back.searchParams.delete('code')
      back.searchParams.set('error', 'access_denied')
      expect((await fetch(back)).status).toBe(400)
    })
    expect(events.at(-1)).toMatchObject({ event: 'error', message: expect.stringContaining('access_denied') })
  })
})
