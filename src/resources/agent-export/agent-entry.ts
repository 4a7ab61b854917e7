import type { AgentWithRelations } from '../agents/load.ts'
import type { AgentRow } from '../agents/table.ts'
import { omitAbsent } from './entries.ts'
import { type FileIds, refsTo } from './file-ids.ts'
import type { MessageRow, OpenFile } from './load.ts'
import { vendorKeys, vendorValue } from './names.ts'

/** The rows that belong to one agent alone. */
interface OwnContents {
  messages: readonly MessageRow[]
  openFiles: readonly OpenFile[]
}

/** The agent with its messages and open files, by the file's ids. Of secrets it has the names alone. */
export function agentEntry(agent: AgentWithRelations, own: OwnContents, ids: FileIds) {
  const { row } = agent
  const idsOf = (rows: readonly { id?: string }[]) => rows.map(({ id }) => id)
  const folderIds = refsTo(ids.folders, idsOf(agent.folders))
  const secrets = Object.fromEntries(agent.secret_names.map((name) => [name, '']))
  // The partner that manages the memory is in the file: the import mustn't make another.
  const hasPartner = agent.managed_groups.some(({ manager_type }) => manager_type.endsWith('sleeptime'))
  return omitAbsent({
    id: ids.agents.get(row.id),
    ...settingsOf(row),
    enable_sleeptime: hasPartner ? false : row.enable_sleeptime,
    block_ids: refsTo(ids.blocks, idsOf(agent.blocks)),
    tool_ids: refsTo(ids.tools, idsOf(agent.tools)),
    source_ids: folderIds,
    folder_ids: folderIds,
    group_ids: refsTo(ids.groups, idsOf(agent.managed_groups)),
    // The file names all tools, rules and blocks: an import adds none.
    include_base_tools: false,
    include_multi_agent_tools: false,
    include_base_tool_rules: false,
    include_default_source: false,
    secrets,
    tool_exec_environment_variables: secrets,
    in_context_message_ids: refsTo(ids.messages, row.message_ids),
    messages: own.messages.map((message) => messageEntry(message, ids)),
    files_agents: own.openFiles.map((file) => openFileEntry(file, ids)),
  })
}

const settingsOf = (row: AgentRow) => ({
  name: row.name,
  agent_type: vendorValue(row.agent_type),
  description: row.description,
  metadata: row.metadata,
  system: row.system,
  tags: row.tags,
  model: row.model,
  llm_config: row.llm_config,
  model_settings: row.model_settings,
  embedding: row.embedding,
  embedding_config: row.embedding_config && vendorKeys(row.embedding_config),
  compaction_settings: row.compaction_settings,
  response_format: row.response_format,
  tool_rules: row.tool_rules,
  message_buffer_autoclear: row.message_buffer_autoclear,
  enable_sleeptime: row.enable_sleeptime,
  timezone: row.timezone ?? 'UTC',
  max_files_open: row.max_files_open,
  per_file_view_window_char_limit: row.per_file_view_window_char_limit,
  hidden: row.hidden,
})

const messageEntry = (message: MessageRow, ids: FileIds) =>
  omitAbsent({
    type: 'message',
    id: ids.messages.get(message.id),
    agent_id: ids.agents.get(message.agent_id),
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
  })

const openFileEntry = (file: OpenFile, ids: FileIds) =>
  omitAbsent({
    id: ids.openFiles.get(file.id),
    agent_id: ids.agents.get(file.agent_id),
    file_id: ids.files.get(file.file_id),
    source_id: ids.folders.get(file.source_id),
    file_name: file.file_name,
    is_open: file.is_open,
    visible_content: file.visible_content,
    start_line: file.start_line,
    end_line: file.end_line,
    last_accessed_at: file.last_accessed_at,
  })
