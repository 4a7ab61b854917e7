import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import { Create, Id, Instant, JsonMap, Name, Page, Params, Patch, Query, Ref, Shape, Text } from '../../lib/wire.ts'
import { EmbeddingConfig, Handle, VectorDbProvider } from '../models/schema.ts'

const { Optional } = Type

export const Archive = Shape('Archive', {
  id: Id('archive'),
  created_at: Instant(),
  name: Type.String(),
  created_by_id: Optional(Type.String({ description: 'User that made the archive.' })),
  description: Optional(Type.String()),
  embedding_config: Optional(Ref(EmbeddingConfig)),
  last_updated_by_id: Optional(Type.String()),
  metadata: Optional(JsonMap()),
  updated_at: Optional(Instant()),
  vector_db_provider: Optional(VectorDbProvider),
})
export type Archive = Static<typeof Archive>

export const archives = defineResource<Archive>()(Archive, {
  table: 'archives',
  prefix: 'archive',
  order: 'desc',
  json: ['metadata'],
})

const fields = {
  name: Name(),
  description: Text(),
  metadata: JsonMap(),
}

const model = {
  embedding: { ...Handle, description: 'The embedding model, by its handle.' },
  embedding_config: Ref(EmbeddingConfig),
}

export const CreateArchive = Create(
  {
    ...fields,
    ...model,
    vector_db_provider: {
      ...VectorDbProvider,
      description:
        'Where its vectors lie: on this server, or in a hosted store that is set up here. It stays that way.',
    },
  },
  ['name'],
)
export type CreateArchive = Static<typeof CreateArchive>

export const UpdateArchive = Patch(
  {
    ...fields,
    ...model,
    vector_db_provider: { ...VectorDbProvider, description: 'As it is: another is a 409.' },
  },
  ['name', 'vector_db_provider'],
)
export type UpdateArchive = Static<typeof UpdateArchive>

export const ListArchives = Query({
  ...Page('archive'),
  name: Optional(Type.String({ description: 'Exactly this name.' })),
  agent_id: Optional({ ...Id('agent'), description: 'Only archives attached to this agent.' }),
})
export type ListArchives = Static<typeof ListArchives>

export const ArchiveParams = Params({ archive_id: Id('archive') })
export const ArchivePassageParams = Params({ archive_id: Id('archive'), passage_id: Id('passage') })
