import { type Static, Type } from 'typebox'
import { Closed, Create, FilterList, Id, Instant, Int, Name, OneOf, Query, Ref } from '../../lib/wire.ts'
import { Passage } from './schema.ts'

const { Optional } = Type

export const MODES = ['vector', 'fts', 'hybrid'] as const
export type SearchMode = (typeof MODES)[number]

/** As long as a page of text: what is longer is no question. */
const Question = (options: object = {}) => Type.String({ maxLength: 4000, ...options })

const mode = OneOf(MODES, {
  description: 'By vectors, by words (fts), or by both (hybrid), which is the default.',
})
const tags = FilterList(Name(), { description: 'Only passages with these tags.' })
const tagMatch = OneOf(['any', 'all'], { description: 'With any of the tags, which is the default, or with all.' })
const day = (text: string) =>
  Type.String({ maxLength: 40, description: `${text} A date, or a date and time (ISO 8601).` })

export const SearchPassages = Create({
  query: Question({ description: 'What to look for. Without it, the newest passages are listed.' }),
  search_mode: mode,
  agent_id: { ...Id('agent'), description: 'In the archive attached to this agent; archive_id is not heeded then.' },
  archive_id: { ...Id('archive'), description: 'In this archive.' },
  folder_id: { ...Id('source'), description: 'In the files of this folder, besides the archive if one is named.' },
  tags,
  tag_match_mode: tagMatch,
  limit: Type.Integer({ minimum: 1, maximum: 100, description: 'How many at most: 1 to 100. Default 50.' }),
  start_date: day('Only passages made then or later.'),
  end_date: day('Only passages made then or earlier; a date is that whole day, in UTC.'),
  include: FilterList(OneOf(['passage.embedding']), { description: 'passage.embedding: with their vectors.' }),
})
export type SearchPassages = Static<typeof SearchPassages>

const Place = (what: string) => Optional(Int({ minimum: 1, description: `Its place ${what}, from 1.` }))

/** How a passage was found. */
export const HitMetadata = Closed({
  search_mode: OneOf([...MODES, 'list'], { description: 'How the answer was found: list without a query.' }),
  rank: Int({ minimum: 1, description: 'Its place in the answer, from 1.' }),
  indexes: Type.Array(OneOf(['hnsw', 'exact', 'fts', 'tpuf', 'pinecone']), {
    description:
      'What found it: hnsw, the vector index; exact, a comparison of all vectors there are; fts, the word index; tpuf ' +
      'or pinecone, the hosted store that the archive lies in.',
  }),
  vector_score: Optional(Type.Number({ description: 'Cosine similarity, -1 to 1.' })),
  vector_rank: Place('by vectors of its model'),
  embedding_model: Optional(Type.String({ description: 'The model whose vectors found it.' })),
  fts_score: Optional(
    Type.Number({
      description:
        'ts_rank_cd, between 0 and 1, and 1 more for a passage that fits the whole query; found by tpuf, its BM25 score.',
    }),
  ),
  fts_rank: Place('by words'),
  vector_error: Optional(
    Type.String({ description: 'Why vectors of a model were left out: it is not available, or its provider fails.' }),
  ),
  store_error: Optional(
    Type.String({
      description: "Why the hosted store of the archive was left out: this server's database was searched instead.",
    }),
  ),
})

export const FoundPassage = Closed({
  passage: Ref(Passage),
  score: Type.Number({
    description:
      'The better, the higher: vector_score, fts_score, or the reciprocal ranks of both together; 0 without a query.',
  }),
  metadata: HitMetadata,
})
export type FoundPassage = Static<typeof FoundPassage>

export const SearchArchivalMemory = Query({
  query: Optional(Question({ description: 'What to look for. Without it, nothing is found.' })),
  search_mode: Optional(mode),
  tags: Optional(tags),
  tag_match_mode: Optional(tagMatch),
  top_k: Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'How many at most: 1 to 100. Default 5.' })),
  start_datetime: Optional(day("Only passages made then or later; without a zone, in the agent's.")),
  end_datetime: Optional(day("Only passages made then or earlier; a date is that whole day in the agent's time zone.")),
})
export type SearchArchivalMemory = Static<typeof SearchArchivalMemory>

export const FoundMemories = Closed({
  results: Type.Array(
    Closed({
      id: Id('passage'),
      timestamp: Instant({ description: "When it was made, by the clocks of the agent's time zone." }),
      content: Type.String(),
      tags: Type.Array(Type.String()),
    }),
  ),
  count: Int({ description: 'How many results there are.' }),
})
export type FoundMemories = Static<typeof FoundMemories>
