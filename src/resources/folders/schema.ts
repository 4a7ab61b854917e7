import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import { Id, Instant, JsonMap, Ref } from '../../lib/wire.ts'
import { EmbeddingConfig, VectorDbProvider } from '../models/schema.ts'

const { Optional } = Type

const shape = {
  id: Id('source'),
  embedding_config: Ref(EmbeddingConfig),
  name: Type.String(),
  created_at: Optional(Instant()),
  created_by_id: Optional(Type.String()),
  description: Optional(Type.String()),
  instructions: Optional(Type.String({ description: 'How to use the folder.' })),
  last_updated_by_id: Optional(Type.String()),
  metadata: Optional(JsonMap()),
  updated_at: Optional(Instant()),
}

export const Folder = Type.Object(shape, { $id: 'Folder', additionalProperties: false })
export type Folder = Static<typeof Folder>

/** A folder as it stands in an agent's deprecated `sources`. */
export const Source = Type.Object(
  { ...shape, vector_db_provider: Optional(VectorDbProvider) },
  { $id: 'Source', additionalProperties: false },
)
export type Source = Static<typeof Source>

export const folders = defineResource<Folder>()(Folder, { table: 'folders', prefix: 'source', order: 'asc' })
export const sources = defineResource<Source>()(Source, { table: 'folders', prefix: 'source', order: 'asc' })
