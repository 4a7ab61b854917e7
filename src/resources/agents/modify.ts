import type { LinkChange } from '../../db/link.ts'
import type { Rendered } from '../../db/render/rendered.ts'
import type { Scope } from '../../db/scope.ts'
import { checkAll, settled } from '../../lib/errors.ts'
import { omitNulls } from '../../lib/json.ts'
import { groups } from '../groups/schema.ts'
import { retrieveAgent } from './agents.ts'
import { matchFileTools } from './attachments/attachments.ts'
import { checkToolRules } from './base-tools.ts'
import type { UpdateAgent } from './body.ts'
import { refitFiles, showFolders } from './files/files.ts'
import { checkTimezone, forgets, TIMEZONE } from './insert.ts'
import { agentBlocks, agentFolders, agentIdentities, agentTools } from './links.ts'
import { checkMessages } from './messages.ts'
import { catalogFor, embeddingOf, fileLimitsOf, handleOf, modelOf } from './model.ts'
import { ALL_RELATIONS } from './relations.ts'
import { type Agent, type AgentRowWire, agents } from './schema.ts'
import { setSecrets } from './secrets.ts'
import { addSleeptimePartner } from './sleeptime.ts'

/** Replaces the attachments the body names. */
async function setAttached(tx: Scope, id: string, body: UpdateAgent): Promise<LinkChange[]> {
  const sets = [
    [agentBlocks, body.block_ids],
    [agentTools, body.tool_ids],
    [agentFolders, body.folder_ids !== undefined ? body.folder_ids : body.source_ids],
    [agentIdentities, body.identity_ids],
  ] as const
  const changes: LinkChange[] = []
  for (const [link, ids] of sets) if (ids !== undefined) changes.push(...(await tx.setLinks(link, id, ids ?? [])))
  const secrets = body.secrets !== undefined ? body.secrets : body.tool_exec_environment_variables
  if (secrets !== undefined) changes.push(...(await setSecrets(tx, id, secrets ?? {})))
  return changes
}

/** The value of a field that null sets back to its default. */
const orDefault = <T>(value: T | null | undefined, fallback: T): T | undefined => (value === null ? fallback : value)

/** The columns the body changes. Those that are never without a value go back to their default on null. */
async function columnsOf(tx: Scope, current: AgentRowWire, body: UpdateAgent) {
  const {
    block_ids: _blocks,
    tool_ids: _tools,
    folder_ids: _folders,
    source_ids: _sources,
    identity_ids: _identities,
    secrets: _secrets,
    tool_exec_environment_variables: _variables,
    context_window_limit,
    max_tokens,
    max_reasoning_tokens,
    enable_reasoner,
    reasoning,
    parallel_tool_calls,
    embedding_chunk_size,
    model,
    llm_config,
    embedding,
    embedding_config,
    ...own
  } = body
  const copied = {
    context_window_limit,
    max_tokens,
    max_reasoning_tokens,
    enable_reasoner,
    reasoning,
    parallel_tool_calls,
  }
  const chunked = embedding_chunk_size && !embedding ? current.embedding_config : undefined
  const embedded = {
    embedding,
    embedding_config: embedding_config ?? chunked ?? embedding_config,
    embedding_chunk_size,
  }
  const catalog = await catalogFor(tx, [{ model, llm_config, ...embedded }])
  const [{ llm_config: config = current.llm_config, ...chosen }, embeddingChosen] = checkAll(
    () => modelOf(catalog, { model, llm_config, ...copied }, current.llm_config),
    () => embeddingOf(catalog, embedded),
  )
  const limits = fileLimitsOf(config.context_window)
  return {
    ...own,
    ...chosen,
    ...(model === null && { model: handleOf(config) }),
    llm_config: config,
    ...embeddingChosen,
    model_settings: omitNulls(own.model_settings, 'json_schema'),
    response_format: omitNulls(own.response_format, 'json_schema'),
    tool_rules: omitNulls(own.tool_rules, 'args'),
    pending_approval: omitNulls(own.pending_approval),
    // The one setting that is patched field by field: nobody wants to repeat the prompt to change a number.
    compaction_settings:
      own.compaction_settings &&
      omitNulls({ ...current.compaction_settings, ...own.compaction_settings }, 'json_schema'),
    tags: own.tags === undefined ? undefined : [...new Set(own.tags ?? [])],
    message_ids: orDefault(own.message_ids, []),
    message_buffer_autoclear: orDefault(own.message_buffer_autoclear, forgets(current.agent_type)),
    timezone: orDefault(own.timezone, TIMEZONE),
    max_files_open: orDefault(own.max_files_open, limits.max_files_open),
    per_file_view_window_char_limit: orDefault(
      own.per_file_view_window_char_limit,
      limits.per_file_view_window_char_limit,
    ),
  }
}

/**
 * Changes an agent: the given fields, and whole sets of attachments, all or nothing. 404 for anything named that isn't
 * there, 409 for two blocks of one label.
 */
export async function modifyAgent(
  scope: Scope,
  id: string,
  body: UpdateAgent,
  defaultModel: string,
): Promise<Rendered<Agent>> {
  return scope.transaction(async (tx) => {
    await changeAgent(tx, id, body, defaultModel)
    // While the agent is held, so that the answer is this change and no other's.
    return retrieveAgent(tx, id, { include: ALL_RELATIONS })
  })
}

/** The same inside the scope's transaction, which holds the agent from then on. */
export async function changeAgent(tx: Scope, id: string, body: UpdateAgent, defaultModel: string): Promise<void> {
  await tx.lock(agents, id)
  const current = await tx.get(agents, id)
  const [columns] = checkAll(
    await settled(columnsOf(tx, current, body)),
    await settled(checkToolRules(tx, body.tool_rules ?? [], current.tool_rules ?? [])),
    () => checkTimezone(body.timezone),
  )
  if (body.message_ids) await checkMessages(tx, id, body.message_ids)
  const links = await setAttached(tx, id, body)
  const folders = links.some(({ table }) => table === agentFolders.table)
  await tx.update(agents, id, columns, links)
  if (folders) {
    await matchFileTools(tx, id)
    await showFolders(tx, [id])
  }
  const limits = [body.max_files_open, body.per_file_view_window_char_limit]
  if (limits.some((limit) => limit !== undefined)) await refitFiles(tx, id)
  if (body.enable_sleeptime) {
    const [managed] = await tx.select(groups, (query) =>
      query
        .where('groups.manager_agent_id', '=', id)
        .where('groups.manager_type', 'in', ['sleeptime', 'voice_sleeptime']),
    )
    if (!managed) await addSleeptimePartner(tx.withoutIfMatch(), id, defaultModel)
  }
}
