import type {
  AuthProvider,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { Fetch } from '../lib/egress.ts'
import type { KeyedMutex } from '../lib/keyed-mutex.ts'
import { McpError } from './mcp-error.ts'

/** What is known of an authorization (OAuth 2.1): the registration as a client, the verifier of the code, and the tokens. */
export interface AuthorizationData {
  redirectUrl: string
  client?: StoredOAuthClientInformation
  verifier?: string
  tokens?: StoredOAuthTokens
  discovery?: OAuthDiscoveryState
}

/** Where the authorization of one server lies. */
export interface AuthorizationStore {
  load(): Promise<AuthorizationData | undefined>
  save(data: AuthorizationData): Promise<void>
}

/** A user who can be sent to the authorization server: the state that comes back, and the address. */
export interface Interaction {
  state: string
  redirect(url: URL): void
}

const REFUSED = 'it wants an authorization: open /v1/mcp-servers/connect/{mcp_server_id}, and follow its address'

/** An OAuth client whose data lies in a store. Without an interaction it renews tokens, and asks nobody. */
export function oauthClient(
  store: AuthorizationStore,
  loaded: AuthorizationData,
  interaction?: Interaction,
): OAuthClientProvider {
  const data = { ...loaded }
  const save = (change: Partial<AuthorizationData>) => store.save(Object.assign(data, change))
  return {
    redirectUrl: data.redirectUrl,
    clientMetadata: {
      client_name: 'Cairn',
      redirect_uris: [data.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    ...(interaction && { state: () => interaction.state }),
    clientInformation: () => data.client,
    saveClientInformation: (client) => save({ client }),
    tokens: () => data.tokens,
    saveTokens: (tokens) => save({ tokens }),
    codeVerifier: () => data.verifier ?? '',
    saveCodeVerifier: (verifier) => save({ verifier }),
    discoveryState: () => data.discovery,
    saveDiscoveryState: (discovery) => save({ discovery }),
    redirectToAuthorization(url) {
      if (!interaction) throw new McpError('unauthorized', REFUSED)
      interaction.redirect(url)
    },
    async invalidateCredentials(scope) {
      if (!interaction) throw new McpError('unauthorized', REFUSED)
      const all = scope === 'all'
      if (all || scope === 'client') delete data.client
      if (all || scope === 'tokens') delete data.tokens
      if (all || scope === 'verifier') delete data.verifier
      if (all || scope === 'discovery') delete data.discovery
      await save({})
    },
  }
}

/**
 * The tokens of a server for its calls. A token that the server refuses is renewed once, however many calls find it refused:
 * authorization servers take a refresh token a single time.
 */
export function storedTokens(
  store: AuthorizationStore,
  first: AuthorizationData,
  { fetch, mutex, key }: { fetch: Fetch; mutex: KeyedMutex; key: string },
): AuthProvider {
  let data = first
  return {
    token: async () => data.tokens?.access_token,
    onUnauthorized: ({ serverUrl }) =>
      mutex(key, async () => {
        const before = data.tokens?.access_token
        data = (await store.load()) ?? data
        if (data.tokens?.access_token !== before) return
        if (!data.tokens?.refresh_token) throw new McpError('unauthorized', REFUSED)
        const { auth } = await import('@modelcontextprotocol/client')
        await auth(oauthClient(store, data), { serverUrl, fetchFn: fetch })
        data = (await store.load()) ?? data
      }),
  }
}

/** Exchanges the code of a callback for tokens, which the store gets. Throws an error of the OAuth library. */
export async function redeemCode(
  store: AuthorizationStore,
  data: AuthorizationData,
  serverUrl: string,
  { code, iss }: { code: string; iss?: string | undefined },
  fetch: Fetch,
): Promise<void> {
  const { auth } = await import('@modelcontextprotocol/client')
  await auth(oauthClient(store, data), { serverUrl, authorizationCode: code, fetchFn: fetch, ...(iss && { iss }) })
}
