import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import {
  createOrganization,
  createUser,
  deleteOrganization,
  deleteUser,
  listOrganizations,
  listUsers,
  updateOrganization,
  updateUser,
} from './organizations.ts'
import {
  CreateOrganization,
  CreateUser,
  ListOrganizations,
  ListUsers,
  OneOrganization,
  OneUser,
  Organization,
  UpdateOrganization,
  UpdateUser,
  User,
} from './schema.ts'

const tags = ['admin']
const config = { right: 'admin' } as const

/** `/v1/admin`: organizations and users. `forget` makes a deletion count at once for the keys it takes along; it is called when the deletion is committed. */
export const adminRoutes = (forget: () => void) => async (app: App) => {
  app.get(
    '/orgs/',
    {
      config,
      schema: {
        operationId: 'list_organizations',
        summary: 'List organizations, oldest first',
        tags,
        querystring: ListOrganizations,
        response: { 200: Type.Array(Ref(Organization)) },
      },
    },
    ({ scope, query }) => listOrganizations(scope, query),
  )

  app.post(
    '/orgs/',
    {
      config,
      schema: {
        operationId: 'create_organization',
        summary: 'Create an organization',
        tags,
        body: CreateOrganization,
        response: { 200: Ref(Organization) },
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
        response: { 200: Ref(Organization) },
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
        response: { 200: Ref(Organization) },
      },
    },
    ({ scope, query }) => deleteOrganization(scope, query.org_id),
  )

  app.get(
    '/users/',
    {
      config,
      schema: {
        operationId: 'list_users',
        summary: 'List users, oldest first',
        tags,
        querystring: ListUsers,
        response: { 200: Type.Array(Ref(User)) },
      },
    },
    ({ scope, query }) => listUsers(scope, query),
  )

  app.post(
    '/users/',
    {
      config,
      schema: {
        operationId: 'create_user',
        summary: 'Create a user',
        tags,
        body: CreateUser,
        response: { 200: Ref(User) },
      },
    },
    ({ scope, body }) => createUser(scope, body),
  )

  app.put(
    '/users/',
    {
      config,
      schema: {
        operationId: 'modify_user',
        summary: 'Modify a user',
        tags,
        body: UpdateUser,
        response: { 200: Ref(User) },
      },
    },
    ({ scope, body }) => updateUser(scope, body),
  )

  app.delete(
    '/users/',
    {
      config,
      onSend: async () => forget(),
      schema: {
        operationId: 'delete_user',
        summary: 'Delete a user and the keys of that user',
        tags,
        querystring: OneUser,
        response: { 200: Ref(User) },
      },
    },
    ({ scope, query }) => deleteUser(scope, query.user_id),
  )
}
