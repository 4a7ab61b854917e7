import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { createOrganization, deleteOrganization, listOrganizations, updateOrganization } from './organizations.ts'
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
import { createUser, deleteUser, listUsers, updateUser } from './users.ts'

const one = { 200: Ref(Organization) }
const many = { 200: Type.Array(Ref(Organization)) }
const oneUser = { 200: Ref(User) }
const manyUsers = { 200: Type.Array(Ref(User)) }
const querystring = OneOrganization
const config = { right: 'admin' } as const

const operations = operationsOf('admin', {
  list_organizations: ['List organizations, oldest first', { querystring: ListOrganizations, response: many }, config],
  create_organization: ['Create an organization', { body: CreateOrganization, response: one }, config],
  modify_organization: ['Modify an organization', { querystring, body: UpdateOrganization, response: one }, config],
  delete_organization: ['Delete an organization and everything it owns', { querystring, response: one }, config],
  list_users: ['List users, oldest first', { querystring: ListUsers, response: manyUsers }, config],
  create_user: ['Create a user', { body: CreateUser, response: oneUser }, config],
  modify_user: ['Modify a user', { body: UpdateUser, response: oneUser }, config],
  delete_user: ['Delete a user and the keys of that user', { querystring: OneUser, response: oneUser }, config],
})

/** `/v1/admin`. `forget` clears the cache of authenticated keys, after the deletion of their owner is committed. */
export const adminRoutes = (forget: () => void) => async (app: App) => {
  const onSend = async () => forget()

  app.get('/orgs/', operations.list_organizations, ({ scope, query }) => listOrganizations(scope, query))
  app.post('/orgs/', operations.create_organization, ({ scope, body }) => createOrganization(scope, body))

  app.patch('/orgs/', operations.modify_organization, ({ scope, query, body }) =>
    updateOrganization(scope, query.org_id, body),
  )

  app.delete('/orgs/', { ...operations.delete_organization, onSend }, ({ scope, query }) =>
    deleteOrganization(scope, query.org_id),
  )

  app.get('/users/', operations.list_users, ({ scope, query }) => listUsers(scope, query))
  app.post('/users/', operations.create_user, ({ scope, body }) => createUser(scope, body))
  app.put('/users/', operations.modify_user, ({ scope, body }) => updateUser(scope, body))
  app.delete('/users/', { ...operations.delete_user, onSend }, ({ scope, query }) => deleteUser(scope, query.user_id))
}
