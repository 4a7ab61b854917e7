import { createEgress } from '../../src/lib/egress.ts'
import { createKeyedMutex } from '../../src/lib/keyed-mutex.ts'
import { createMcpClient } from '../../src/mcp/client.ts'
import type { HttpAddress } from '../../src/mcp/connect.ts'
import { type AuthorizationData, oauthClient, redeemCode, storedTokens } from '../../src/mcp/oauth.ts'

// The suite starts this program for each scenario, with the address of its server: it does with our client what the scenario asks.
const url = process.argv.at(-1)!
const { fetch } = createEgress(['loopback'])
const programs = { connect: () => Promise.reject(new Error('There are no programs.')) }
const client = createMcpClient({ fetch, version: '1.0.0', programs })

let data: AuthorizationData = { redirectUrl: 'http://localhost:3000/callback' }
const store = {
  load: async () => data,
  save: async (saved: AuthorizationData) => {
    data = { ...saved }
  },
}
const address: HttpAddress = { key: 'suite', type: 'streamable_http', url, headers: {} }

/** Lists the tools; where the server wants an authorization, as a user would grant it. */
async function connect() {
  let to: URL | undefined
  const auth = oauthClient(store, data, { state: 'state', redirect: (target) => (to = target) })
  try {
    return { address, tools: await client.listTools({ ...address, auth }) }
  } catch (error) {
    if (!to) throw error
  }
  const response = await globalThis.fetch(to, { redirect: 'manual' })
  const { searchParams } = new URL(response.headers.get('location')!)
  const iss = searchParams.get('iss') ?? undefined
  await redeemCode(store, data, url, { code: searchParams.get('code')!, iss }, fetch)
  const authorized = { ...address, auth: storedTokens(store, data, { fetch, mutex: createKeyedMutex(), key: url }) }
  return { address: authorized, tools: await client.listTools(authorized) }
}

const { address: reached, tools } = await connect()
for (const tool of tools) {
  const { properties = {} } = tool.inputSchema as { properties?: Record<string, { type?: string }> }
  const values = Object.entries(properties).map(([name, { type }], n) => [name, type === 'number' ? n + 2 : 'text'])
  await client.callTool(reached, tool, Object.fromEntries(values))
}
process.exit(0)
