import { FIELDS, VALUES } from '../../lib/vendor-names.ts'
import type { Block } from '../blocks/schema.ts'
import type { Folder } from '../folders/schema.ts'
import type { FileRow } from '../folders/table.ts'
import type { Group } from '../groups/schema.ts'
import type { Tool } from '../tools/schema.ts'
import { BlockEntry, SourceEntry, sharedFields, ToolEntry } from './entry-schema.ts'
import { type FileIds, refsTo } from './file-ids.ts'

// Other programs read the format, too: a file has the names that they know.

/** The vendor's name of an enumerated value. */
export const vendorValue = (value: string) => VALUES[value] ?? value

/** A configuration with the vendor's names of its fields. */
export const vendorKeys = (config: object) =>
  Object.fromEntries(Object.entries(config).map(([key, value]) => [FIELDS[key] ?? key, value]))

/** The format has no word for "no limit": the largest limit stands for it. */
const NO_LIMIT = 2_147_483_647

/** An entry without the fields that have no value. */
export const omitAbsent = (entry: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null && value !== undefined))

/** The group with its manager, by the file's ids. */
export const groupEntry = (group: Group, ids: FileIds) =>
  omitAbsent({
    id: ids.groups.get(group.id),
    description: group.description,
    agent_ids: refsTo(ids.agents, group.agent_ids),
    shared_block_ids: refsTo(ids.blocks, group.shared_block_ids ?? []),
    manager_config: omitAbsent({
      manager_type: group.manager_type,
      manager_agent_id: ids.agents.get(group.manager_agent_id),
      max_turns: group.max_turns,
      termination_token: group.termination_token,
      sleeptime_agent_frequency: group.sleeptime_agent_frequency,
      max_message_buffer_length: group.max_message_buffer_length,
      min_message_buffer_length: group.min_message_buffer_length,
    }),
    hidden: group.hidden,
  })

/** The block with its value. */
export const blockEntry = (block: Block, ids: FileIds) =>
  omitAbsent({
    ...sharedFields(BlockEntry, block),
    id: ids.blocks.get(block.id),
    limit: block.limit ?? NO_LIMIT,
    metadata: block.metadata ?? {},
    read_only: block.read_only ?? false,
    is_template: block.is_template ?? false,
    preserve_on_migration: block.preserve_on_migration ?? false,
  })

/** The file with its text. */
export const fileEntry = (file: FileRow, ids: FileIds) =>
  omitAbsent({
    id: ids.files.get(file.id),
    source_id: ids.folders.get(file.source_id),
    file_name: file.file_name,
    original_file_name: file.original_file_name,
    file_path: file.file_path,
    file_type: file.file_type,
    file_size: file.file_size,
    file_creation_date: file.file_creation_date,
    file_last_modified_date: file.file_last_modified_date,
    content: file.content,
  })

/** The folder, which the format calls a source. */
export const folderEntry = (folder: Folder, ids: FileIds) =>
  omitAbsent({
    ...sharedFields(SourceEntry, folder),
    id: ids.folders.get(folder.id),
    embedding_config: vendorKeys(folder.embedding_config),
  })

/** The tool with its source. */
export const toolEntry = (tool: Tool, ids: FileIds) =>
  omitAbsent({
    ...sharedFields(ToolEntry, tool),
    id: ids.tools.get(tool.id),
    tool_type: vendorValue(tool.tool_type!),
    // The tags of built-in tools are values of this server; those of others are their makers' own words.
    ...(tool.tool_type !== 'custom' && { tags: tool.tags?.map(vendorValue) }),
  })
