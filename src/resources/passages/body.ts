import { type Static, Type } from 'typebox'
import { Create, Instant, JsonMap, List, Name, Patch } from '../../lib/wire.ts'

/** The most passages of one request. */
const MOST_PASSAGES = 10_000

const fields = {
  text: Type.String({
    pattern: '\\S',
    maxLength: 100_000,
    title: 'a text that is not blank',
    description: 'At most 100,000 characters.',
  }),
  tags: List(Name({ minLength: 1 }), {
    description: 'Kept in this order; one that is named again is left out.',
  }),
  created_at: Instant({ description: 'When it came to be, from 1970 on. Now, if absent.' }),
}

export const CreatePassage = Create({ ...fields, metadata: JsonMap() }, ['text'])
export type CreatePassage = Static<typeof CreatePassage>

export const CreatePassages = Create(
  { passages: Type.Array(CreatePassage, { maxItems: MOST_PASSAGES, description: 'At most 10,000.' }) },
  ['passages'],
)

/** A passage's text stays as it is: its vectors belong to the text. */
export const UpdatePassage = Patch({ tags: fields.tags, metadata: JsonMap() })
export type UpdatePassage = Static<typeof UpdatePassage>

/** A new passage of an agent's archival memory. */
export const CreateMemory = Create(fields, ['text'])
