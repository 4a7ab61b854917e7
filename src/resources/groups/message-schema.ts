import { type Static, Type } from 'typebox'
import { FilterList, Name, OneOf, Page, Query } from '../../lib/wire.ts'
import { MESSAGE_TYPES } from '../messages/schema.ts'

const { Optional } = Type

export const ListGroupMessages = Query({
  ...Page('message'),
  include_return_message_types: Optional(FilterList(OneOf(MESSAGE_TYPES))),
  use_assistant_message: Optional(Type.Boolean({ description: 'Deprecated. Default true.' })),
  assistant_message_tool_name: Optional(Name({ description: 'Deprecated.' })),
  assistant_message_tool_kwarg: Optional(Name({ description: 'Deprecated.' })),
})
export type ListGroupMessages = Static<typeof ListGroupMessages>
