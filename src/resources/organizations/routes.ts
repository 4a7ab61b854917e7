import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { createOrganization, deleteOrganization, listOrganizations, updateOrganization } from './organizations.ts'
import { CreateOrganization, ListOrganizations, OneOrganization, Organization, UpdateOrganization } from './schema.ts'

const operation = operationsOf('admin')
const one = { 200: Ref(Organization) }
const config = { right: 'admin' } as const

/** `/v1/admin/orgs`. `forget` clears the cache of authenticated keys, after the deletion of an organization is committed. */
export const organizationRoutes = (forget: () => void) => async (app: App) => {
  app.get(
    '/orgs/',
    operation(
      'list_organizations',
      'List organizations, oldest first',
      { querystring: ListOrganizations, response: { 200: Type.Array(Ref(Organization)) } },
      config,
    ),
    ({ scope, query }) => listOrganizations(scope, query),
  )

  app.post(
    '/orgs/',
    operation('create_organization', 'Create an organization', { body: CreateOrganization, response: one }, config),
    ({ scope, body }) => createOrganization(scope, body),
  )

  app.patch(
    '/orgs/',
    operation(
      'modify_organization',
      'Modify an organization',
      { querystring: OneOrganization, body: UpdateOrganization, response: one },
      config,
    ),
    ({ scope, query, body }) => updateOrganization(scope, query.org_id, body),
  )

  app.delete(
    '/orgs/',
    {
      ...operation(
        'delete_organization',
        'Delete an organization and everything it owns',
        { querystring: OneOrganization, response: one },
        config,
      ),
      onSend: async () => forget(),
    },
    ({ scope, query }) => deleteOrganization(scope, query.org_id),
  )
}
