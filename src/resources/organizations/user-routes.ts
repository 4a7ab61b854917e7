import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { CreateUser, ListUsers, OneUser, UpdateUser, User } from './schema.ts'
import { createUser, deleteUser, listUsers, updateUser } from './users.ts'

const tags = ['admin']
const one = { 200: Ref(User) }
const config = { right: 'admin' } as const

/** `/v1/admin/users`. `forget` clears the cache of authenticated keys, after the deletion of a user is committed. */
export const userRoutes = (forget: () => void) => async (app: App) => {
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
    { config, schema: { operationId: 'create_user', summary: 'Create a user', tags, body: CreateUser, response: one } },
    ({ scope, body }) => createUser(scope, body),
  )

  app.put(
    '/users/',
    { config, schema: { operationId: 'modify_user', summary: 'Modify a user', tags, body: UpdateUser, response: one } },
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
        response: one,
      },
    },
    ({ scope, query }) => deleteUser(scope, query.user_id),
  )
}
