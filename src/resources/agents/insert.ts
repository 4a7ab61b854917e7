import type { LinkChange } from '../../db/link.ts'
import type { Scope } from '../../db/scope.ts'
import { checkAll, inBody, invalid, settled } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { omitNulls } from '../../lib/json.ts'
import { newBlocks } from '../blocks/blocks.ts'
import { blocks } from '../blocks/schema.ts'
import { createFolder } from '../folders/folders.ts'
import { folders } from '../folders/schema.ts'
import type { Catalog } from '../models/handles.ts'
import { toolsOf } from './base-tools.ts'
import type { CreateAgent } from './body.ts'
import { showFolders } from './files/files.ts'
import { agentBlocks, agentFolders, agentIdentities, agentTools } from './links.ts'
import { firstMessages, insertMessages } from './messages.ts'
import { catalogFor, embeddingOf, fileLimitsOf, modelOf } from './model.ts'
import { randomName } from './names.ts'
import { promptOf } from './prompts.ts'
import { type AgentType, agents, DEFAULT_TYPE } from './schema.ts'
import { setSecrets } from './secrets.ts'

/** An agent with this tag works for another one and doesn't show in lists. */
const SUBAGENT_TAG = 'role:subagent'

/** Where an agent is that was told nothing of it. */
export const TIMEZONE = 'UTC'

/** Whether an agent of this type forgets what was said unless it is told otherwise. */
export const forgets = (type: AgentType) => type === 'workflow_agent'

/** 422 for a name that isn't an IANA time zone's. */
export function checkTimezone(timezone: string | null | undefined): void {
  if (timezone == null) return
  try {
    if (!/^[A-Za-z]/.test(timezone)) throw new RangeError()
    new Intl.DateTimeFormat('en', { timeZone: timezone })
  } catch {
    throw invalid(inBody('timezone', `"${timezone}" is not an IANA time zone`))
  }
}

/** A body that names a model. */
export const withModel = <B extends Pick<CreateAgent, 'model' | 'llm_config'>>(body: B, defaultModel: string): B =>
  body.model || body.llm_config ? body : { ...body, model: defaultModel }

/**
 * The row of a new agent, but for its id and what its attachments decide: rules and messages. 422 for a model, a time
 * zone or a number that can't be.
 */
export function newAgent(catalog: Catalog, body: CreateAgent, defaultModel: string) {
  const type = body.agent_type ?? DEFAULT_TYPE
  const [{ model, llm_config }, embedding] = checkAll(
    () => modelOf(catalog, withModel(body, defaultModel), undefined),
    () => embeddingOf(catalog, body),
    () => checkTimezone(body.timezone),
  )
  const tags = [...new Set(body.tags ?? [])]
  const limits = fileLimitsOf(llm_config!.context_window)
  return {
    name: body.name ?? randomName(),
    agent_type: type,
    system: body.system ?? promptOf(type),
    tags,
    description: body.description,
    metadata: body.metadata,
    model,
    llm_config,
    model_settings: omitNulls(body.model_settings, 'json_schema'),
    ...embedding,
    compaction_settings: omitNulls(body.compaction_settings, 'json_schema'),
    response_format: omitNulls(body.response_format, 'json_schema'),
    message_buffer_autoclear: forgets(type) || (body.message_buffer_autoclear ?? false),
    enable_sleeptime: body.enable_sleeptime,
    timezone: body.timezone ?? TIMEZONE,
    max_files_open: body.max_files_open ?? limits.max_files_open,
    per_file_view_window_char_limit: body.per_file_view_window_char_limit ?? limits.per_file_view_window_char_limit,
    hidden: tags.includes(SUBAGENT_TAG) ? true : body.hidden,
    project_id: body.project_id,
    template_id: body.template_id,
    base_template_id: body.base_template_id,
    deployment_id: body.deployment_id,
    entity_id: body.entity_id,
  }
}

/** 422 for a voice agent that keeps its memory itself. */
function checkVoice({ agent_type, enable_sleeptime }: CreateAgent): void {
  if (agent_type === 'voice_convo_agent' && !enable_sleeptime) {
    throw invalid(inBody('enable_sleeptime', 'must be true for a voice_convo_agent'))
  }
}

/** Makes the agent with everything attached to it, inside the scope's transaction. Returns its id. `own` are columns besides. */
export async function insertAgent(
  tx: Scope,
  body: CreateAgent,
  defaultModel: string,
  own: object = {},
): Promise<string> {
  const catalog = await catalogFor(tx, [withModel(body, defaultModel)])
  const folderIds = [...((body.folder_ids?.length ? body.folder_ids : body.source_ids) ?? [])]
  const withFolders = folderIds.length > 0 || body.include_default_source === true
  const [row, newOnes, { tool_ids, tool_rules }] = checkAll(
    () => newAgent(catalog, body, defaultModel),
    () => newBlocks(body.memory_blocks ?? []),
    await settled(toolsOf(tx, body, withFolders)),
    () => checkVoice(body),
  )
  const id = newId('agent')
  const messages = firstMessages(row.system, body.initial_message_sequence ?? [])
  const made = await tx.insertMany(blocks, newOnes)
  if (body.include_default_source) {
    folderIds.push((await createFolder(tx, folders, { name: `${row.name} External Data Source` })).id)
  }
  const links = [
    [agentBlocks, [...made.map((block) => block.id!), ...(body.block_ids ?? [])]],
    [agentTools, tool_ids],
    [agentFolders, folderIds],
    [agentIdentities, body.identity_ids ?? []],
  ] as const
  const secrets =
    (Object.keys(body.secrets ?? {}).length > 0 ? body.secrets : body.tool_exec_environment_variables) ?? {}
  const added: LinkChange[] = links.map(([link, ids]) => ({ table: link.table, added: [...ids], removed: [] }))
  added.push({ table: 'agent_environment_variables', added: Object.keys(secrets), removed: [] })

  await tx.insert(
    agents,
    {
      ...own,
      id,
      ...row,
      tool_rules: omitNulls(tool_rules, 'args'),
      message_ids: messages.map((message) => message.id),
    },
    added.filter((change) => change.added.length > 0),
  )
  for (const [link, ids] of links) await tx.linkMany(link, new Map([[id, ids]]))
  if (folderIds.length > 0) await showFolders(tx, [id])
  await setSecrets(tx, id, secrets)
  await insertMessages(tx, new Map([[id, messages]]))
  return id
}
