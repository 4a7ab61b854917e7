import { sql } from 'kysely'
import type { Scope } from '../../db/scope.ts'
import { FIELDS, VALUES } from '../../lib/vendor-names.ts'
import type { AgentRow } from '../agents/table.ts'
import { type Held, load } from './held.ts'
import type { AgentFile, ExportQuery } from './schema.ts'

/** How this server writes the format. */
const REVISION = 'cairn-1'

// The format is read by other programs than this one: a file bears the names they know.
const theirs = (value: string) => VALUES[value] ?? value
const withTheirKeys = (config: object) =>
  Object.fromEntries(Object.entries(config).map(([key, value]) => [FIELDS[key] ?? key, value]))

/** The largest limit there is stands for none, which the format has no word for. */
const NO_LIMIT = 2_147_483_647

/**
 * The file of an agent: with its messages, blocks, tools and folders, the groups it manages, and the agents of those. Of
 * secrets it has the names alone. 404.
 */
export const exportAgent = (scope: Scope, id: string, query: ExportQuery): Promise<AgentFile> =>
  scope.transaction(async (tx) => {
    // One moment for all of it: nothing refers to what went between two statements.
    await tx.query(sql`set transaction isolation level repeatable read, read only`)
    return written(await load(tx, id, query), query)
  })

/** Leaves out what has no value. */
const told = (entry: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null && value !== undefined))

/** Ids of the file's own, such as `agent-0`, in the order of the rows. */
const numbered = (kind: string, rows: readonly { id?: string }[]) =>
  new Map(rows.map(({ id }, n) => [id!, `${kind}-${n}`]))

function written(held: Held, { scrub_messages }: ExportQuery): AgentFile {
  const ids = {
    agents: numbered('agent', held.agents),
    groups: numbered('group', held.groups),
    blocks: numbered('block', held.blocks),
    tools: numbered('tool', held.tools),
    folders: numbered('source', held.folders),
    files: numbered('file', held.files),
    openFiles: numbered('file_agent', held.openFiles),
    messages: numbered('message', held.messages),
  }
  const refs = (kind: keyof typeof ids, list: readonly string[]) => list.flatMap((id) => ids[kind].get(id) ?? [])
  const messages = Map.groupBy(held.messages, ({ agent_id }) => agent_id)
  const opened = Map.groupBy(held.openFiles, ({ agent_id }) => agent_id)
  const nameOf = new Map(held.files.map(({ id, file_name }) => [id, file_name]))
  const managed = Map.groupBy(held.groups, ({ manager_agent_id }) => manager_agent_id)

  const agentEntry = (agent: AgentRow) => {
    const own = managed.get(agent.id) ?? []
    const folderIds = refs('folders', held.attached.folders.get(agent.id)!)
    const secrets = Object.fromEntries((held.secrets.get(agent.id) ?? []).map((key) => [key, '']))
    return told({
      id: ids.agents.get(agent.id),
      name: agent.name,
      agent_type: theirs(agent.agent_type),
      description: agent.description,
      metadata: agent.metadata,
      system: agent.system,
      tags: agent.tags,
      model: agent.model,
      llm_config: agent.llm_config,
      model_settings: agent.model_settings,
      embedding: agent.embedding,
      embedding_config: agent.embedding_config && withTheirKeys(agent.embedding_config),
      compaction_settings: agent.compaction_settings,
      response_format: agent.response_format,
      tool_rules: agent.tool_rules,
      message_buffer_autoclear: agent.message_buffer_autoclear,
      // The partner that manages the memory is in the file: whoever reads it mustn't make another.
      enable_sleeptime: own.some(({ manager_type }) => manager_type.endsWith('sleeptime'))
        ? false
        : agent.enable_sleeptime,
      timezone: agent.timezone ?? 'UTC',
      max_files_open: agent.max_files_open,
      per_file_view_window_char_limit: agent.per_file_view_window_char_limit,
      hidden: agent.hidden,
      block_ids: refs('blocks', held.attached.blocks.get(agent.id)!),
      tool_ids: refs('tools', held.attached.tools.get(agent.id)!),
      source_ids: folderIds,
      folder_ids: folderIds,
      group_ids: own.map(({ id }) => ids.groups.get(id)),
      // All tools, rules and blocks are named: nothing is to be added.
      include_base_tools: false,
      include_multi_agent_tools: false,
      include_base_tool_rules: false,
      include_default_source: false,
      secrets,
      tool_exec_environment_variables: secrets,
      in_context_message_ids: scrub_messages ? [] : refs('messages', agent.message_ids),
      messages: (messages.get(agent.id) ?? []).map((message) =>
        told({
          type: 'message',
          id: ids.messages.get(message.id),
          agent_id: ids.agents.get(agent.id),
          role: message.role,
          content: message.content,
          name: message.name,
          otid: message.otid,
          sender_id: ids.agents.get(message.sender_id ?? '') ?? message.sender_id,
          group_id: ids.groups.get(message.group_id ?? ''),
          model: message.model,
          tool_calls: message.tool_calls,
          tool_call_id: message.tool_call_id,
          tool_returns: message.tool_returns,
          approval_request_id: ids.messages.get(message.approval_request_id ?? '') ?? message.approval_request_id,
          approve: message.approve,
          denial_reason: message.denial_reason,
          approvals: message.approvals,
          created_at: message.created_at,
        }),
      ),
      files_agents: (opened.get(agent.id) ?? []).map((file) =>
        told({
          id: ids.openFiles.get(file.id),
          agent_id: ids.agents.get(agent.id),
          file_id: ids.files.get(file.file_id),
          source_id: ids.folders.get(file.source_id),
          file_name: nameOf.get(file.file_id),
          is_open: file.is_open,
          visible_content: file.visible_content,
          start_line: file.start_line,
          end_line: file.end_line,
          last_accessed_at: file.last_accessed_at,
        }),
      ),
    })
  }

  return {
    agents: held.agents.map(agentEntry),
    groups: held.groups.map((group) =>
      told({
        id: ids.groups.get(group.id),
        description: group.description,
        agent_ids: refs('agents', group.agent_ids),
        shared_block_ids: refs('blocks', group.shared_block_ids ?? []),
        manager_config: told({
          manager_type: group.manager_type,
          manager_agent_id: ids.agents.get(group.manager_agent_id!),
          max_turns: group.max_turns,
          termination_token: group.termination_token,
          sleeptime_agent_frequency: group.sleeptime_agent_frequency,
          max_message_buffer_length: group.max_message_buffer_length,
          min_message_buffer_length: group.min_message_buffer_length,
        }),
        hidden: group.hidden,
      }),
    ),
    blocks: held.blocks.map((block) =>
      told({
        id: ids.blocks.get(block.id!),
        label: block.label,
        value: block.value,
        limit: block.limit ?? NO_LIMIT,
        description: block.description,
        metadata: block.metadata ?? {},
        read_only: block.read_only ?? false,
        hidden: block.hidden,
        tags: block.tags,
        is_template: block.is_template ?? false,
        template_name: block.template_name,
        preserve_on_migration: block.preserve_on_migration ?? false,
      }),
    ),
    files: held.files.map((file) =>
      told({
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
      }),
    ),
    sources: held.folders.map((folder) =>
      told({
        id: ids.folders.get(folder.id),
        name: folder.name,
        description: folder.description,
        instructions: folder.instructions,
        metadata: folder.metadata,
        embedding_config: withTheirKeys(folder.embedding_config),
      }),
    ),
    tools: held.tools.map((tool) =>
      told({
        id: ids.tools.get(tool.id),
        name: tool.name,
        tool_type: theirs(tool.tool_type!),
        description: tool.description,
        source_type: tool.source_type,
        source_code: tool.source_code,
        json_schema: tool.json_schema,
        args_json_schema: tool.args_json_schema,
        tags: tool.tags,
        return_char_limit: tool.return_char_limit,
        pip_requirements: tool.pip_requirements,
        npm_requirements: tool.npm_requirements,
        metadata_: tool.metadata_,
        default_requires_approval: tool.default_requires_approval,
        enable_parallel_execution: tool.enable_parallel_execution,
      }),
    ),
    mcp_servers: [],
    skills: [],
    metadata: { revision_id: REVISION },
    created_at: new Date().toISOString(),
  }
}
