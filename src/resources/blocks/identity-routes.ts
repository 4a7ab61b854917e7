import { operationsOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Ref } from '../../lib/wire.ts'
import { attachIdentity, detachIdentity } from './blocks.ts'
import { Block, BlockIdentityParams } from './schema.ts'

const operation = operationsOf('blocks')
const one = { 200: Ref(Block) }

/** `/v1/blocks/{block_id}/identities` */
export async function blockIdentityRoutes(app: App) {
  app.patch(
    '/:block_id/identities/attach/:identity_id',
    operation('attach_identity_to_block', 'Link a block to an identity', {
      params: BlockIdentityParams,
      response: one,
    }),
    ({ scope, params }) => attachIdentity(scope, params.block_id, params.identity_id),
  )

  app.patch(
    '/:block_id/identities/detach/:identity_id',
    operation('detach_identity_from_block', 'Remove the link between a block and an identity', {
      params: BlockIdentityParams,
      response: one,
    }),
    ({ scope, params }) => detachIdentity(scope, params.block_id, params.identity_id),
  )
}
