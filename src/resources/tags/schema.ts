import { type Static, Type } from 'typebox'
import { Name, OneOf, Query } from '../../lib/wire.ts'

const { Optional } = Type

export const ListTags = Query({
  limit: Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'How many at most: 1 to 200. Default 50.' })),
  order: Optional(OneOf(['asc', 'desc'], { description: 'By code point, ascending (the default) or descending.' })),
  order_by: Optional(OneOf(['name'], { description: 'What to sort by.' })),
  after: Optional(Type.String({ description: 'The tags that follow this one in the order asked for.' })),
  before: Optional(Type.String({ description: 'The tags immediately before this one in the order asked for.' })),
  name: Optional(Name({ description: 'Part of the tag, in any case.' })),
  query_text: Optional(Name({ description: 'Deprecated: use name, which wins.' })),
})
export type ListTags = Static<typeof ListTags>
