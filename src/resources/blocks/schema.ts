import { type Static, Type } from 'typebox'
import { defineResource } from '../../db/resource.ts'
import {
  Create,
  FilterList,
  Id,
  Instant,
  Int,
  JsonMap,
  List,
  Name,
  Page,
  Params,
  Patch,
  Query,
  Shape,
  Text,
} from '../../lib/wire.ts'

const { Optional } = Type

/** The fields of a block that can be set. */
export const settings = {
  value: Text({ description: 'Content of the block.' }),
  base_template_id: Name(),
  deployment_id: Name(),
  description: Text(),
  entity_id: Name({ description: 'Id of the entity within the template.' }),
  hidden: Type.Boolean(),
  is_template: Type.Boolean(),
  label: Name({ minLength: 1, description: 'Label in the context window, for example human or persona.' }),
  limit: Int({ description: 'Character limit of the value, in Unicode code points.' }),
  metadata: JsonMap(),
  preserve_on_migration: Type.Boolean(),
  project_id: Name(),
  read_only: Type.Boolean({ description: 'True if agents may not change it. The API may.' }),
  tags: List(Name({ minLength: 1 })),
  template_id: Name(),
  template_name: Name(),
}

const shape = {
  ...Type.Partial(Type.Object(settings)).properties,
  value: settings.value,
  id: Optional(Id('block')),
  created_by_id: Optional(Type.String()),
  last_updated_by_id: Optional(Type.String()),
}

export const Block = Shape('Block', shape)
export type Block = Static<typeof Block>

/** A file as a block of an agent's memory. */
export const FileBlock = Shape('FileBlock', {
  ...shape,
  file_id: Id('file'),
  is_open: Type.Boolean({ description: 'True if the agent has the file open.' }),
  source_id: Type.String({ description: 'Deprecated: the id of the folder.' }),
  last_accessed_at: Optional(Instant()),
})
export type FileBlock = Static<typeof FileBlock>

/** The message for a second block of one label on an agent. */
export const ONE_BLOCK_PER_LABEL = {
  agents_blocks_label_key: 'An agent cannot have two blocks with the same label.',
}

export const blocks = defineResource<Block>()(Block, {
  table: 'blocks',
  prefix: 'block',
  order: 'asc',
  json: ['metadata'],
  conflicts: ONE_BLOCK_PER_LABEL,
})

/** The limit of a block that sets none, in characters. */
export const DEFAULT_LIMIT = 100_000

export const CreateBlock = Create(settings, ['value', 'label'])
export type CreateBlock = Static<typeof CreateBlock>

export const UpdateBlock = Patch(settings, ['value'])
export type UpdateBlock = Static<typeof UpdateBlock>

const Label = (description: string) =>
  Optional(Type.String({ minLength: 1, maxLength: 50, pattern: '^[a-zA-Z0-9_/-]+$', description }))
const Search = (description: string) => Optional(Type.String({ minLength: 1, maxLength: 200, description }))

/** Which blocks: the filters lists and counts share. */
const filters = {
  label: Label('Exactly this label.'),
  label_search: Label('Part of the label, in any case.'),
  templates_only: Optional(Type.Boolean({ description: 'Templates alone. False, the default, leaves them out.' })),
  name: Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^[a-zA-Z0-9 _-]+$',
      description: 'Exactly this template_name.',
    }),
  ),
  description_search: Search('Part of the description, in any case.'),
  value_search: Search('Part of the value, in any case.'),
  identity_id: Optional({ ...Id('identity'), description: 'Linked to this identity.' }),
  identifier_keys: Optional(
    FilterList(Type.String(), { description: 'Linked to an identity with any of these keys.' }),
  ),
  project_id: Optional(Type.String()),
  tags: Optional(FilterList(Type.String(), { description: 'Blocks with any of these tags.' })),
  match_all_tags: Optional(Type.Boolean({ description: 'Blocks with all of the tags instead.' })),
  connected_to_agents_count_gt: Optional(Int({ description: 'Attached to more agents than this.' })),
  connected_to_agents_count_lt: Optional(Int({ description: 'Attached to fewer agents than this.' })),
  connected_to_agents_count_eq: Optional(
    FilterList(Int(), { description: 'Attached to exactly one of these numbers of agents.' }),
  ),
  show_hidden_blocks: Optional(Type.Boolean({ description: 'Hidden blocks too.' })),
}

export const CountBlocks = Query(filters)
export type BlockFilters = Static<typeof CountBlocks>

export const ListBlocks = Query({ ...Page('block'), ...filters })
export type ListBlocks = Static<typeof ListBlocks>

export const BlockParams = Params({ block_id: Id('block') })
export const BlockIdentityParams = Params({ block_id: Id('block'), identity_id: Id('identity') })
