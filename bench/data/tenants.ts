import type { App } from '../../src/http/server.ts'
import { inject } from '../operations/capture.ts'
import type { Call } from '../operations/operations.ts'
import type { Owner } from './rows.ts'

/** An organization, one of its users, and a key. */
export interface Tenant extends Owner {
  key: string
}

/** Creates a second organization over the API. Returns the tenant of the first one, which is measured, and the second. */
export async function createTenants(app: App, key: string): Promise<[measured: Tenant, other: Tenant]> {
  const call = async (method: Call['method'], path: string, body?: object) =>
    JSON.parse(await inject(app, key, { method, path, ...(body && { body: JSON.stringify(body) }) }))
  const [home] = await call('GET', '/v1/admin/orgs/')
  const [admin] = await call('GET', '/v1/admin/users/')
  const organization = await call('POST', '/v1/admin/orgs/', { name: 'Other' })
  const user = await call('POST', '/v1/admin/users/', { name: 'Other', organization_id: organization.id })
  const created = await call('POST', '/v1/api-keys/', { name: 'Other', user_id: user.id, scopes: ['read', 'write'] })
  return [
    { organizationId: home.id, userId: admin.id, key },
    { organizationId: organization.id, userId: user.id, key: created.key },
  ]
}
