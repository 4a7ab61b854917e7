import { setTimeout as wait } from 'node:timers/promises'
import type { Scope } from '../../db/scope.ts'
import type { McpTool } from '../../mcp/client.ts'
import { McpError } from '../../mcp/mcp-error.ts'
import { oauthClient } from '../../mcp/oauth.ts'
import { addressOf } from './address.ts'
import { AUTHORIZATION_MS, authorizationOf, authorizationStore, expectCallback, newState } from './authorizations.ts'
import type { McpDeps } from './call.ts'
import { refreshServer } from './mcp-servers.ts'
import { type ConnectEvent, mcpServers, type StoredServer } from './schema.ts'

/** How often it is looked whether the callback has come, in milliseconds. */
const LOOK_MS = 1_000

/** An attempt to list the tools of a server: its tools, the address where a user must authorize this server, or a failure. */
interface Attempt {
  tools?: McpTool[]
  url?: string
  error?: string
}

/** Lists the tools of a server; where the server wants an authorization, begins one. */
async function attempt(
  scope: Scope,
  { mcp }: McpDeps,
  server: StoredServer,
  redirectUrl: string,
  signal: AbortSignal,
): Promise<Attempt> {
  const store = authorizationStore(scope, server.id)
  const loaded = await store.load()
  // Another address of this server needs another registration as a client.
  const data = loaded?.redirectUrl === redirectUrl ? loaded : { redirectUrl }
  const state = newState(scope)
  let url: URL | undefined
  const auth = oauthClient(store, data, { state, redirect: (to) => (url = to) })
  const address = addressOf(scope, server)
  try {
    return { tools: await mcp.listTools(address.type === 'stdio' ? address : { ...address, auth }, signal) }
  } catch (error) {
    if (!(error instanceof McpError)) throw error
    if (!url) return { error: error.message }
    await expectCallback(scope, server.id, state)
    return { url: url.href }
  }
}

/** Waits for the callback of an authorization. Returns why it failed; undefined where it was granted. */
async function callbackOf(scope: Scope, serverId: string, signal: AbortSignal): Promise<string | undefined> {
  const end = Date.now() + AUTHORIZATION_MS
  while (Date.now() < end) {
    const authorization = await authorizationOf(scope, serverId)
    if (!authorization) return 'the server was deleted'
    if (authorization.error !== null) return authorization.error
    if (!authorization.waits && authorization.data?.tokens) return undefined
    await wait(LOOK_MS, undefined, { signal })
  }
  return 'nobody has authorized this server within five minutes'
}

/**
 * Connects to a server, and stores its tools. Where the server wants an authorization (OAuth 2.1), the events have the address at
 * which a user grants it; tools are listed once the callback has come. Connections without OAuth need no stream.
 */
export async function* connectServer(
  scope: Scope,
  deps: McpDeps,
  server: StoredServer,
  redirectUrl: string,
  signal: AbortSignal,
): AsyncGenerator<ConnectEvent> {
  const { id, server_name } = server
  yield { event: 'connection_attempt', server_name }
  let { tools, url, error }: Attempt = await attempt(scope, deps, server, redirectUrl, signal)
  if (url) {
    yield { event: 'oauth_required', message: 'The server wants a user to let this one in.' }
    yield { event: 'authorization_url', url, session_id: id }
    yield { event: 'waiting_for_auth', message: 'Open the address. The tools are listed afterwards.' }
    error = await callbackOf(scope, id, signal)
    if (error === undefined) {
      ;({ tools, error = 'it still wants an authorization' } = await attempt(scope, deps, server, redirectUrl, signal))
    }
  }
  if (!tools) {
    yield { event: 'error', message: `The MCP server ${JSON.stringify(server_name)} can't be used: ${error}.` }
    return
  }
  await refreshServer(scope, id, { tools })
  yield { event: 'success', tools: tools.map((tool) => ({ ...tool })) }
}

/** The events of a connection to a server of the organization. 404 before the first of them. */
export async function connectTo(
  scope: Scope,
  deps: McpDeps,
  id: string,
  redirectUrl: string,
  signal: AbortSignal,
): Promise<AsyncIterable<ConnectEvent>> {
  return connectServer(scope, deps, await scope.get(mcpServers, id), redirectUrl, signal)
}
