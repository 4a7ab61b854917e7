import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import { Create, Id, Instant, JsonMap, Name, OneOf, Page, Params, Query, Ref } from '../../lib/wire.ts'
import { EmbeddingConfig } from '../models/schema.ts'

const { Optional } = Type

export const Passage = Type.Object(
  {
    id: Id('passage'),
    text: Type.String(),
    archive_id: Optional(Id('archive')),
    source_id: Optional({ ...Id('source'), description: 'The folder of the file it is a piece of.' }),
    file_id: Optional(Id('file')),
    file_name: Optional(Type.String({ description: 'Its name behind that of its folder, as agents see it.' })),
    metadata: JsonMap(),
    tags: Type.Array(Type.String()),
    embedding: Optional(
      Type.Array(Type.Number(), { description: 'Its vector. Only there with include=passage.embedding.' }),
    ),
    embedding_config: Optional(Ref(EmbeddingConfig)),
    organization_id: Id('org'),
    created_at: Instant(),
    updated_at: Optional(Instant()),
    created_by_id: Optional(Type.String()),
    last_updated_by_id: Optional(Type.String()),
  },
  { $id: 'Passage', additionalProperties: false },
)
export type Passage = Static<typeof Passage>

/** The configuration whose vectors answer. */
const servingConfig = (table: string, id: string) => `(
  select coalesce(serving_config, embedding_config) from ${table}
  where ${table}.organization_id = passages.organization_id and ${table}.id = passages.${id})`
const config = `case when passages.archive_id is null then ${servingConfig('folders', 'source_id')}
  else ${servingConfig('archives', 'archive_id')} end`

const vector = `(select embeddings.embedding from embeddings where embeddings.organization_id = passages.organization_id
  and embeddings.passage_id = passages.id and embeddings.model = embedding_model(${config}))`

const { embedding: _, ...withoutVector } = Passage.properties
const definition = {
  table: 'passages',
  prefix: 'passage',
  order: 'asc',
  json: ['metadata'],
  vendorKeyed: ['embedding_config'],
  unlogged: ['search_vector'],
} as const

/** Passages as they usually go out: without their vectors. */
export const passages = defineResource<Passage>()(
  { properties: withoutVector },
  { ...definition, computed: { embedding_config: config } },
)

/** Passages with their vectors. */
export const passagesWithVectors = defineResource<Passage>()(Passage, {
  ...definition,
  computed: { embedding_config: config, embedding: vector },
})

/** As many passages as are made by one request, and as many as it answers with their vectors. */
const MOST_PASSAGES = 10_000
export const MOST_WITH_VECTORS = 1_000

const fields = {
  text: Type.String({
    pattern: '\\S',
    maxLength: 100_000,
    title: 'a text that is not blank',
    description: 'At most 100,000 characters.',
  }),
  tags: Type.Array(Name({ minLength: 1 }), {
    maxItems: 1_000,
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

/** What is put into an agent's archival memory. */
export const CreateMemory = Create(fields, ['text'])

const include = Optional(
  Type.Array(OneOf(['passage.embedding']), { description: 'passage.embedding: with their vectors.' }),
)

export const IncludeVectors = Query({ include })
export type IncludeVectors = Static<typeof IncludeVectors>

const search = Optional(Type.String({ description: 'Part of the text, in any case.' }))

export const ListPassages = Query({
  ...Page('passage'),
  search,
  tags: Optional(Type.Array(Type.String(), { description: 'Passages with any of these tags.' })),
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

export const MemoryParams = Params({ agent_id: Id('agent'), memory_id: Id('passage') })
