import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { createOrganization, deleteOrganization, listOrganizations, updateOrganization } from './organizations.ts'
import { CreateOrganization, ListOrganizations, OneOrganization, Organization, UpdateOrganization } from './schema.ts'

const tags = ['admin']
const one = { 200: Ref(Organization) }
const config = { right: 'admin' } as const

const list = {
  operationId: 'list_organizations',
  summary: 'List organizations, oldest first',
  tags,
  querystring: ListOrganizations,
  response: { 200: Type.Array(Ref(Organization)) },
}

/** `/v1/admin/orgs`. `forget` clears the cache of authenticated keys, after the deletion of an organization is committed. */
export const organizationRoutes = (forget: () => void) => async (app: App) => {
  app.get('/orgs/', { config, schema: list }, ({ scope, query }) => listOrganizations(scope, query))

  app.post(
    '/orgs/',
    {
      config,
      schema: {
        operationId: 'create_organization',
        summary: 'Create an organization',
        tags,
        body: CreateOrganization,
        response: one,
      },
    },
    ({ scope, body }) => createOrganization(scope, body),
  )

  app.patch(
    '/orgs/',
    {
      config,
      schema: {
        operationId: 'modify_organization',
        summary: 'Modify an organization',
        tags,
        querystring: OneOrganization,
        body: UpdateOrganization,
        response: one,
      },
    },
    ({ scope, query, body }) => updateOrganization(scope, query.org_id, body),
  )

  app.delete(
    '/orgs/',
    {
      config,
      onSend: async () => forget(),
      schema: {
        operationId: 'delete_organization',
        summary: 'Delete an organization and everything it owns',
        tags,
        querystring: OneOrganization,
        response: one,
      },
    },
    ({ scope, query }) => deleteOrganization(scope, query.org_id),
  )
}
