import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import { Id, Instant, Int, JsonMap } from '../../lib/wire.ts'

const { Optional } = Type

const shape = {
  value: Type.String({ description: 'Content of the block.' }),
  id: Optional(Id('block')),
  base_template_id: Optional(Type.String()),
  created_by_id: Optional(Type.String()),
  deployment_id: Optional(Type.String()),
  description: Optional(Type.String()),
  entity_id: Optional(Type.String({ description: 'Id of the entity within the template.' })),
  hidden: Optional(Type.Boolean()),
  is_template: Optional(Type.Boolean()),
  label: Optional(Type.String({ description: 'Label in the context window, for example human or persona.' })),
  last_updated_by_id: Optional(Type.String()),
  limit: Optional(Int({ description: 'Character limit of the value, in Unicode code points.' })),
  metadata: Optional(JsonMap()),
  preserve_on_migration: Optional(Type.Boolean()),
  project_id: Optional(Type.String()),
  read_only: Optional(Type.Boolean({ description: 'True if agents may not change it. The API may.' })),
  tags: Optional(Type.Array(Type.String())),
  template_id: Optional(Type.String()),
  template_name: Optional(Type.String()),
}

export const Block = Type.Object(shape, { $id: 'Block', additionalProperties: false })
export type Block = Static<typeof Block>

/** A file as a block of an agent's memory. */
export const FileBlock = Type.Object(
  {
    ...shape,
    file_id: Id('file'),
    is_open: Type.Boolean({ description: 'True if the agent has the file open.' }),
    source_id: Type.String({ description: 'Deprecated: the id of the folder.' }),
    last_accessed_at: Optional(Instant()),
  },
  { $id: 'FileBlock', additionalProperties: false },
)
export type FileBlock = Static<typeof FileBlock>

export const blocks = defineResource<Block>()(Block, { table: 'blocks', prefix: 'block', order: 'asc' })
