import { type Static, Type } from 'typebox'
import { Closed, Create, FilterList, Id, Int, Name, OneOf } from '../../lib/wire.ts'
import { MODES } from '../passages/search-schema.ts'
import { InternalMessage } from './schema.ts'
import { ROLES } from './table.ts'

const { Optional } = Type

const fields = {
  query: Type.String({ maxLength: 4000, pattern: '\\S', title: 'a text that is not blank' }),
  search_mode: OneOf(MODES, {
    description:
      'By vectors of the agents’ embedding models, by words (fts), or by both (hybrid), which is the default. The vectors of new ' +
      'messages are made in the background.',
  }),
  agent_id: { ...Id('agent'), description: 'Messages of this agent.' },
  conversation_id: Name({ description: 'Messages of this conversation.' }),
  limit: Type.Integer({ minimum: 1, maximum: 100, description: 'How many at most: 1 to 100. Default 50.' }),
  start_date: Type.String({
    maxLength: 40,
    description: 'Only messages from then on. A date, or a date and time (ISO 8601).',
  }),
  end_date: Type.String({
    maxLength: 40,
    description: 'Only messages up to then. A date, which counts as a whole day in UTC, or a date and time.',
  }),
}

export const SearchAllMessages = Create(fields, ['query'])
export type SearchAllMessages = Static<typeof SearchAllMessages>

export const SearchMessages = Create({
  ...fields,
  query: Type.String({ maxLength: 4000, description: 'What to look for. Without it, the newest messages are listed.' }),
  roles: FilterList(OneOf(ROLES), { description: 'Messages of these roles. All, if absent.' }),
  project_id: Name({ description: 'Messages of the agents of this project.' }),
  template_id: Name({ description: 'Messages of the agents of this template.' }),
})
export type SearchMessages = Static<typeof SearchMessages>

const Rank = (how: string) => Optional(Int({ minimum: 1, description: `Its place ${how}, from 1.` }))

export const MessageHit = Closed({
  embedded_text: Type.String({ description: 'The text by which it was found.' }),
  message: InternalMessage,
  fts_rank: Rank('by words'),
  vector_rank: Rank('by vectors'),
  rrf_score: Type.Number({
    description: 'The better, the higher: the sum of 1 / (60 + rank) over both rankings; 0 without a query.',
  }),
  vector_error: Optional(Type.String({ description: 'Why vectors of a model were left out.' })),
})
export type MessageHit = Static<typeof MessageHit>
