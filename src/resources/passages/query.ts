import { type Static, Type } from 'typebox'
import { FilterList, Name, OneOf, Page, Query } from '../../lib/wire.ts'

const { Optional } = Type

/** The most passages of one response with vectors. */
export const MOST_WITH_VECTORS = 1_000

const include = Optional(
  FilterList(OneOf(['passage.embedding']), { description: 'passage.embedding: with their vectors.' }),
)

export const IncludeVectors = Query({ include })
export type IncludeVectors = Static<typeof IncludeVectors>

const search = Optional(Name({ description: 'Part of the text, in any case.' }))

export const ListPassages = Query({
  ...Page('passage'),
  search,
  tags: Optional(FilterList(Type.String(), { description: 'Passages with any of these tags.' })),
  tag_match_mode: Optional(OneOf(['any', 'all'], { description: 'all: passages with all of the tags instead.' })),
  include,
})
export type ListPassages = Static<typeof ListPassages>

export const ListMemories = Query({
  ...Page('passage'),
  search,
  ascending: Optional(
    Type.Boolean({ description: 'Deprecated: use order, which wins. True, the default, is oldest first.' }),
  ),
  include,
})
export type ListMemories = Static<typeof ListMemories>
