import type { Static } from 'typebox'
import { Create, Int, JsonMap, Name, Patch, Ref, Text } from '../../lib/wire.ts'
import { EmbeddingConfig, Handle } from '../models/schema.ts'

const fields = {
  name: Name(),
  description: Text(),
  instructions: Text({ description: 'How to use the folder.' }),
  metadata: JsonMap(),
  embedding_config: Ref(EmbeddingConfig),
}

export const CreateFolder = Create(
  {
    ...fields,
    embedding: Handle,
    embedding_chunk_size: Int({ minimum: 1, description: 'Length of the pieces files are cut into. Default 300.' }),
  },
  ['name'],
)
export type CreateFolder = Static<typeof CreateFolder>

export const UpdateFolder = Patch({ ...fields, embedding: Handle }, ['name', 'embedding', 'embedding_config'])
export type UpdateFolder = Static<typeof UpdateFolder>
