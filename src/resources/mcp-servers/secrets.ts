import type { Scope } from '../../db/scope.ts'
import type { McpServer, StoredServer } from './schema.ts'

/** The secrets of a server. */
export interface ServerSecrets {
  auth_token?: string | undefined
  custom_headers?: Record<string, string> | undefined
}

/** The cipher's context: moved to another server, the ciphertext doesn't decrypt. */
const contextOf = (scope: Scope, id: string) => `${scope.organizationId}/${id}/secrets`

/** The encrypted secrets of a server; null where it has none. */
export function sealSecrets(scope: Scope, id: string, secrets: ServerSecrets): string | null {
  const text = JSON.stringify(secrets)
  return text === '{}' ? null : scope.cipher.encrypt(text, contextOf(scope, id))
}

/** The secrets of a server. */
export const openSecrets = (
  scope: Scope,
  { id, secrets_enc }: Pick<StoredServer, 'id' | 'secrets_enc'>,
): ServerSecrets => (secrets_enc ? JSON.parse(scope.cipher.decrypt(secrets_enc, contextOf(scope, id))) : {})

/** A server as its caller reads it: secrets are empty for a key that may not see them. */
export function withSecrets<Row extends StoredServer>(scope: Scope, row: Row): Row & McpServer {
  const { auth_token, custom_headers } = openSecrets(scope, row)
  const visible = (value: string) => (scope.can('secrets') ? value : '')
  return Object.assign(row, {
    secrets_enc: undefined,
    ...(auth_token !== undefined && { auth_token: visible(auth_token) }),
    ...(custom_headers && {
      custom_headers: Object.fromEntries(Object.entries(custom_headers).map(([name, value]) => [name, visible(value)])),
    }),
  })
}
