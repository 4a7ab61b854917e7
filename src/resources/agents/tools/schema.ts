import { type Static, Type } from 'typebox'
import { Id, OrNull, Page, Params, Query, Strict } from '../../../lib/wire.ts'

const { Optional } = Type

export const ListAgentTools = Query(Page('tool'))
export type ListAgentTools = Static<typeof ListAgentTools>

export const AgentToolParams = Params({ agent_id: Id('agent'), tool_id: Id('tool') })

export const AgentToolNameParams = Params({ agent_id: Id('agent'), tool_name: Type.String() })

export const ApprovalQuery = Query({ requires_approval: Optional(Type.Boolean()) })

/** Whether calls need approval. Some clients send the name of the query parameter, some this other one. */
export const ApprovalBody = OrNull(
  Strict({
    requires_approval: Optional(OrNull(Type.Boolean())),
    body_requires_approval: Optional(OrNull(Type.Boolean())),
  }),
)
