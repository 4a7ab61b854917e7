import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { Block } from '../blocks/schema.ts'
import { listBlocksOfIdentity } from './identities.ts'
import { IdentityParams, ListBlocksOfIdentity } from './schema.ts'

const operation = operationsOf('identities')
const params = IdentityParams

/** `/v1/identities/{identity_id}/blocks` */
export async function identityBlockRoutes(app: App) {
  app.get(
    '/:identity_id/blocks',
    operation('list_blocks_of_identity', 'List the blocks an identity is attached to', {
      params,
      querystring: ListBlocksOfIdentity,
      response: { 200: Type.Array(Ref(Block)) },
    }),
    ({ scope, params, query }) => listBlocksOfIdentity(scope, params.identity_id, query),
  )
}
