import { type Static, Type } from 'typebox'
import { Closed, Id, Page, Params, Query } from '../../../lib/wire.ts'

export const ListBlocksOfAgent = Query(Page('block'))
export type ListBlocksOfAgent = Static<typeof ListBlocksOfAgent>

export const LabelParams = Params({ agent_id: Id('agent'), label: Type.String({ minLength: 1 }) })
export const AttachmentParams = Params({ agent_id: Id('agent'), block_id: Id('block') })
export const Variables = Closed({ variables: Type.Record(Type.String(), Type.String()) })
