import { type Static, Type } from 'typebox'
import { defineResource, ORGANIZATION } from '../../db/resource.ts'
import { Id, Instant, JsonMap, Ref, Shape } from '../../lib/wire.ts'
import { EmbeddingConfig } from '../models/schema.ts'

const { Optional } = Type

export const Passage = Shape('Passage', {
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
})
export type Passage = Static<typeof Passage>

/** SQL of the configuration whose vectors serve searches. */
const servingConfig = (table: string, id: string) => `(
  select coalesce(serving_config, embedding_config) from ${table}
  where ${table}.organization_id = ${ORGANIZATION} and ${table}.id = passages.${id})`
const config = `case when passages.archive_id is null then ${servingConfig('folders', 'source_id')}
  else ${servingConfig('archives', 'archive_id')} end`

const vector = `(select embeddings.embedding from embeddings where embeddings.organization_id = ${ORGANIZATION}
  and embeddings.passage_id = passages.id and embeddings.model = embedding_model(${config}))`

const definition = {
  table: 'passages',
  prefix: 'passage',
  order: 'asc',
  json: ['metadata'],
  unlogged: ['search_vector'],
} as const

/** Passages without their vectors. */
export const passages = defineResource<Passage>()(Passage, {
  ...definition,
  computed: { embedding_config: config, embedding: undefined },
})

/** Passages with their vectors. */
export const passagesWithVectors = defineResource<Passage>()(Passage, {
  ...definition,
  computed: { embedding_config: config, embedding: vector },
})
