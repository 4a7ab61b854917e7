import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { CreateUser, ListUsers, OneUser, UpdateUser, User } from './schema.ts'
import { createUser, deleteUser, listUsers, updateUser } from './users.ts'

const operation = operationsOf('admin')
const one = { 200: Ref(User) }
const config = { right: 'admin' } as const

/** `/v1/admin/users`. `forget` clears the cache of authenticated keys, after the deletion of a user is committed. */
export const userRoutes = (forget: () => void) => async (app: App) => {
  app.get(
    '/users/',
    operation(
      'list_users',
      'List users, oldest first',
      { querystring: ListUsers, response: { 200: Type.Array(Ref(User)) } },
      config,
    ),
    ({ scope, query }) => listUsers(scope, query),
  )

  app.post(
    '/users/',
    operation('create_user', 'Create a user', { body: CreateUser, response: one }, config),
    ({ scope, body }) => createUser(scope, body),
  )

  app.put(
    '/users/',
    operation('modify_user', 'Modify a user', { body: UpdateUser, response: one }, config),
    ({ scope, body }) => updateUser(scope, body),
  )

  app.delete(
    '/users/',
    {
      ...operation(
        'delete_user',
        'Delete a user and the keys of that user',
        { querystring: OneUser, response: one },
        config,
      ),
      onSend: async () => forget(),
    },
    ({ scope, query }) => deleteUser(scope, query.user_id),
  )
}
