import type { AgentWithRelations } from '../agents/load.ts'
import type { AgentRow } from '../agents/table.ts'
import type { MessageRow } from '../messages/table.ts'
import { omitAbsent, vendorKeys, vendorValue } from './entries.ts'
import { AgentEntry, FileAgentEntry, MessageEntry, sharedFields } from './entry-schema.ts'
import { type FileIds, refsTo } from './file-ids.ts'
import type { OpenFile } from './load.ts'

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
    ...settingsOf(row),
    id: ids.agents.get(row.id),
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
  ...sharedFields(AgentEntry, row),
  agent_type: vendorValue(row.agent_type),
  embedding_config: row.embedding_config && vendorKeys(row.embedding_config),
  timezone: row.timezone ?? 'UTC',
})

const messageEntry = (message: MessageRow, ids: FileIds) =>
  omitAbsent({
    type: 'message',
    ...sharedFields(MessageEntry, message),
    id: ids.messages.get(message.id),
    agent_id: ids.agents.get(message.agent_id),
    sender_id: ids.agents.get(message.sender_id ?? '') ?? message.sender_id,
    group_id: ids.groups.get(message.group_id ?? ''),
    approval_request_id: ids.messages.get(message.approval_request_id ?? '') ?? message.approval_request_id,
  })

const openFileEntry = (file: OpenFile, ids: FileIds) =>
  omitAbsent({
    ...sharedFields(FileAgentEntry, file),
    id: ids.openFiles.get(file.id),
    agent_id: ids.agents.get(file.agent_id),
    file_id: ids.files.get(file.file_id),
    source_id: ids.folders.get(file.source_id),
  })
