import { Type } from 'typebox'
import { isLetta } from '../../http/letta.ts'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import {
  countIdentities,
  createIdentity,
  extendIdentity,
  listIdentities,
  updateIdentity,
  upsertIdentity,
} from './identities.ts'
import {
  CountIdentities,
  CreateIdentity,
  Identity,
  IdentityParams,
  IdentityProperties,
  identities,
  ListIdentities,
  UpdateIdentity,
} from './schema.ts'

const operation = operationsOf('identities')
const params = IdentityParams
const one = { 200: Ref(Identity) }

const list = operation('list_identities', 'List identities, newest first', {
  querystring: ListIdentities,
  response: { 200: Type.Array(Ref(Identity)) },
})

const count = operation('count_identities', 'Count identities', {
  querystring: CountIdentities,
  response: { 200: Type.Integer() },
})

const create = operation('create_identity', 'Create an identity', { body: CreateIdentity, response: one })

const upsert = operation('upsert_identity', 'Create the identity of a key, or set what is given on the one there is', {
  body: CreateIdentity,
  response: one,
})

const retrieve = operation('retrieve_identity', 'Retrieve an identity', { params, response: one })

const modify = operation('modify_identity', 'Modify an identity', {
  params,
  body: UpdateIdentity,
  response: one,
})

const replaceProperties = operation('replace_identity_properties', 'Replace the properties of an identity', {
  params,
  body: IdentityProperties,
  response: { 200: Type.Null() },
})

const remove = operation('delete_identity', 'Delete an identity', { params, response: { 200: Type.Null() } })

/** `/v1/identities` */
export async function identityRoutes(app: App) {
  app.get('/', list, ({ scope, query }) => listIdentities(scope, query))

  app.get('/count', count, ({ scope, query }) => countIdentities(scope, query))

  app.post('/', create, ({ scope, body }) => createIdentity(scope, body))

  app.put('/', upsert, ({ scope, body }) => upsertIdentity(scope, body))

  app.get('/:identity_id', retrieve, ({ scope, params }) => scope.retrieve(identities, params.identity_id))

  app.patch('/:identity_id', modify, (request) => {
    const { scope, params, body } = request
    return (isLetta(request) ? extendIdentity : updateIdentity)(scope, params.identity_id, body)
  })

  app.put('/:identity_id/properties', replaceProperties, async ({ scope, params, body }) => {
    await scope.update(identities, params.identity_id, { properties: body })
    return null
  })

  app.delete('/:identity_id', remove, async ({ scope, params }) => {
    await scope.remove(identities, params.identity_id)
    return null
  })
}
