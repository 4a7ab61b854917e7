import { createHash } from 'node:crypto'
import { type StandIn, startMcp } from './mcp.ts'
import type { Answer, Asked } from './wire.ts'

/** An MCP server that takes the tokens of its own authorization server alone. */
export interface OAuthStandIn extends StandIn {
  /** The user's part: follows an address of the authorization server. Returns the address that the user is sent back to. */
  consent(url: string): URL
  /** Refuses all access tokens from now on; refresh tokens stay good, each for one use. */
  expire(): void
}

/** Starts an MCP server with an authorization server (OAuth 2.1: PKCE, dynamic registration, rotated refresh tokens). */
export async function startMcpWithOAuth(): Promise<OAuthStandIn> {
  const standIn = await startMcp()
  const codes = new Map<string, string>()
  const good = { access: new Set<string>(), refresh: new Set<string>() }
  let issued = 0

  const tokens = (): Answer => {
    issued++
    good.access.add(`access-${issued}`)
    good.refresh.add(`refresh-${issued}`)
    const body = { access_token: `access-${issued}`, refresh_token: `refresh-${issued}`, token_type: 'Bearer' }
    return { status: 200, body }
  }
  const token = ({ text }: Asked): Answer => {
    const form = new URLSearchParams(text)
    if (form.get('grant_type') === 'refresh_token') {
      return good.refresh.delete(form.get('refresh_token')!)
        ? tokens()
        : { status: 400, body: { error: 'invalid_grant' } }
    }
    const code = form.get('code')!
    const challenge = createHash('sha256').update(form.get('code_verifier')!).digest('base64url')
    const fits = codes.get(code) === challenge
    codes.delete(code)
    return fits ? tokens() : { status: 400, body: { error: 'invalid_grant' } }
  }
  const metadata = () => ({
    issuer: standIn.url,
    authorization_endpoint: `${standIn.url}/authorize`,
    token_endpoint: `${standIn.url}/token`,
    registration_endpoint: `${standIn.url}/register`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_post'],
  })
  standIn.otherwise = (asked) => {
    const { path, headers, body } = asked
    if (path.startsWith('/.well-known/oauth-protected-resource')) {
      const resource = { resource: `${standIn.url}/mcp`, authorization_servers: [standIn.url] }
      return { status: 200, body: resource }
    }
    if (path.startsWith('/.well-known/oauth-authorization-server')) return { status: 200, body: metadata() }
    if (path === '/register') return { status: 201, body: { ...body, client_id: 'cairn-client' } }
    if (path === '/token') return token(asked)
    if (good.access.has(headers.authorization?.replace('Bearer ', '') ?? '')) return undefined
    return { status: 401, headers: { 'www-authenticate': 'Bearer' }, body: { error: 'unauthorized' } }
  }
  return Object.assign(standIn, {
    consent(url: string) {
      const { searchParams } = new URL(url)
      const code = `code-${codes.size}-${issued}`
      codes.set(code, searchParams.get('code_challenge')!)
      const back = new URL(searchParams.get('redirect_uri')!)
      back.searchParams.set('code', code)
      back.searchParams.set('state', searchParams.get('state')!)
      return back
    },
    expire: () => good.access.clear(),
  })
}
