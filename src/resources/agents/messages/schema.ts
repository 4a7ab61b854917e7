import { type Static, Type } from 'typebox'
import { FilterList, Id, Name, OneOf, Page, Query } from '../../../lib/wire.ts'
import { MESSAGE_TYPES } from '../../messages/schema.ts'

const { Optional } = Type

export const ListAgentMessages = Query({
  ...Page('message'),
  conversation_id: Optional(
    Name({ description: 'Messages of this conversation; `default`: those of no conversation.' }),
  ),
  group_id: Optional(Id('group')),
  include_return_message_types: Optional(FilterList(OneOf(MESSAGE_TYPES))),
  use_assistant_message: Optional(Type.Boolean({ description: 'Deprecated. Default true.' })),
  assistant_message_tool_name: Optional(Name({ description: 'Deprecated.' })),
  assistant_message_tool_kwarg: Optional(Name({ description: 'Deprecated.' })),
  include_err: Optional(Type.Boolean({ description: 'Deprecated: ignored.' })),
})
export type ListAgentMessages = Static<typeof ListAgentMessages>
