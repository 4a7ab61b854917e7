import { Type } from 'typebox'
import { isLetta } from '../../http/letta.ts'
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

const tags = ['identities']
const params = IdentityParams
const one = { 200: Ref(Identity) }

const list = {
  schema: {
    operationId: 'list_identities',
    summary: 'List identities, newest first',
    tags,
    querystring: ListIdentities,
    response: { 200: Type.Array(Ref(Identity)) },
  },
} as const

const count = {
  schema: {
    operationId: 'count_identities',
    summary: 'Count identities',
    tags,
    querystring: CountIdentities,
    response: { 200: Type.Integer() },
  },
} as const

const create = {
  schema: {
    operationId: 'create_identity',
    summary: 'Create an identity',
    tags,
    body: CreateIdentity,
    response: one,
  },
} as const

const upsert = {
  schema: {
    operationId: 'upsert_identity',
    summary: 'Create the identity of a key, or set what is given on the one there is',
    tags,
    body: CreateIdentity,
    response: one,
  },
} as const

const retrieve = {
  schema: { operationId: 'retrieve_identity', summary: 'Retrieve an identity', tags, params, response: one },
} as const

const modify = {
  schema: {
    operationId: 'modify_identity',
    summary: 'Modify an identity',
    tags,
    params,
    body: UpdateIdentity,
    response: one,
  },
} as const

const replaceProperties = {
  schema: {
    operationId: 'replace_identity_properties',
    summary: 'Replace the properties of an identity',
    tags,
    params,
    body: IdentityProperties,
    response: { 200: Type.Null() },
  },
} as const

const remove = {
  schema: {
    operationId: 'delete_identity',
    summary: 'Delete an identity',
    tags,
    params,
    response: { 200: Type.Null() },
  },
} as const

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
