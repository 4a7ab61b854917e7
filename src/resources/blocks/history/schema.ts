import { type Static, Type } from 'typebox'
import { Closed, Instant, Int, OneOf, Query, Ref, Shape } from '../../../lib/wire.ts'
import { Block } from '../schema.ts'

const { Optional } = Type

const Version = (description: string) => Int({ minimum: 1, description })

/** Who made a change. */
export const authorOfChange = {
  user_id: Optional(Type.String({ description: 'The user of the API key.' })),
  api_key_id: Optional(Type.String({ description: 'The API key of the request.' })),
  request_id: Optional(Type.String({ description: 'The request, or the one that began the run.' })),
  agent_id: Optional(Type.String({ description: 'The agent that made the change, by a call of a tool.' })),
  run_id: Optional(Type.String({ description: 'The run of that agent.' })),
  tool_call_id: Optional(Type.String({ description: 'The call of the tool.' })),
}

/** A change of a block: who made it, and the block as the change left it. */
export const BlockVersion = Shape('BlockVersion', {
  version: Version('The version that the change made; the ETag of the block at that time.'),
  operation: OneOf(['create', 'update', 'delete', 'link', 'unlink'], {
    description: '`link` and `unlink`: an identity was linked to the block, or no longer is.',
  }),
  created_at: Instant(),
  ...authorOfChange,
  block: Ref(Block),
})
export type BlockVersion = Static<typeof BlockVersion>

export const ListBlockVersions = Query({
  limit: Optional(Int({ minimum: 1, maximum: 200, description: 'How many at most: 1 to 200. Default 50.' })),
  before: Optional(Version('Versions before this one: the last of the page before.')),
})
export type ListBlockVersions = Static<typeof ListBlockVersions>

export const RestoreBlock = Closed({ version: Version('The version of the history to go back to.') })
