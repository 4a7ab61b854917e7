import { Type } from 'typebox'
import { isLetta } from '../../http/letta.ts'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { Block } from '../blocks/schema.ts'
import {
  countIdentities,
  createIdentity,
  extendIdentity,
  listBlocksOfIdentity,
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
  ListBlocksOfIdentity,
  ListIdentities,
  UpdateIdentity,
} from './schema.ts'

const params = IdentityParams
const one = { 200: Ref(Identity) }

const operations = operationsOf('identities', {
  list_identities: [
    'List identities, newest first',
    { querystring: ListIdentities, response: { 200: Type.Array(Ref(Identity)) } },
  ],
  count_identities: ['Count identities', { querystring: CountIdentities, response: { 200: Type.Integer() } }],
  create_identity: ['Create an identity', { body: CreateIdentity, response: one }],
  upsert_identity: [
    'Create the identity of a key, or change the existing one',
    { body: CreateIdentity, response: one },
  ],
  retrieve_identity: ['Retrieve an identity', { params, response: one }],
  modify_identity: ['Modify an identity', { params, body: UpdateIdentity, response: one }],
  replace_identity_properties: [
    'Replace the properties of an identity',
    { params, body: IdentityProperties, response: { 200: Type.Null() } },
  ],
  delete_identity: ['Delete an identity', { params, response: { 200: Type.Null() } }],
  list_blocks_of_identity: [
    'List the blocks an identity is attached to',
    { params, querystring: ListBlocksOfIdentity, response: { 200: Type.Array(Ref(Block)) } },
  ],
})

/** `/v1/identities` */
export async function identityRoutes(app: App) {
  app.get('/', operations.list_identities, ({ scope, query }) => listIdentities(scope, query))
  app.get('/count', operations.count_identities, ({ scope, query }) => countIdentities(scope, query))
  app.post('/', operations.create_identity, ({ scope, body }) => createIdentity(scope, body))
  app.put('/', operations.upsert_identity, (request) =>
    upsertIdentity(request.scope, request.body, (id) => request.scopeFor(`/v1/identities/${id}`)),
  )

  app.get('/:identity_id', operations.retrieve_identity, ({ scope, params }) =>
    scope.retrieve(identities, params.identity_id),
  )

  app.patch('/:identity_id', operations.modify_identity, (request) => {
    const { scope, params, body } = request
    return (isLetta(request) ? extendIdentity : updateIdentity)(scope, params.identity_id, body)
  })

  app.put('/:identity_id/properties', operations.replace_identity_properties, async ({ scope, params, body }) => {
    await scope.update(identities, params.identity_id, { properties: body })
    return null
  })

  app.delete('/:identity_id', operations.delete_identity, async ({ scope, params }) => {
    await scope.remove(identities, params.identity_id)
    return null
  })
}

/** `/v1/identities/{identity_id}/blocks` */
export async function identityBlockRoutes(app: App) {
  app.get('/:identity_id/blocks', operations.list_blocks_of_identity, ({ scope, params, query }) =>
    listBlocksOfIdentity(scope, params.identity_id, query),
  )
}
