import type { LinkChange } from '../../db/resource.ts'
import type { Scope } from '../../db/scope.ts'
import { groups } from '../groups/schema.ts'
import { getAgent } from './agents.ts'
import { checkToolRules } from './base-tools.ts'
import type { UpdateAgent } from './body.ts'
import { checkTimezone } from './insert.ts'
import { agentBlocks, agentFolders, agentIdentities, agentTools } from './links.ts'
import { checkMessages } from './messages.ts'
import { embeddingOf, modelOf } from './model.ts'
import { ALL_RELATIONS, type Loaded } from './relations.ts'
import { agents } from './schema.ts'
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

/** The columns the body changes. Those that can't be empty in the database go back to their default on null. */
async function columnsOf(tx: Scope, id: string, body: UpdateAgent) {
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
  const needsCurrent = Object.values(copied).some((value) => value !== undefined)
  const current = needsCurrent || embedding_chunk_size ? await tx.get(agents, id) : undefined
  return {
    ...own,
    ...modelOf({ model, llm_config, ...copied }, current?.llm_config),
    ...embeddingOf({
      embedding,
      embedding_config:
        embedding_config ?? (embedding_chunk_size && !embedding ? current?.embedding_config : embedding_config),
      embedding_chunk_size,
    }),
    tags: own.tags && [...new Set(own.tags)],
    ...(own.tags === null && { tags: [] }),
    ...(own.message_ids === null && { message_ids: [] }),
    ...(own.message_buffer_autoclear === null && { message_buffer_autoclear: false }),
  }
}

/**
 * Changes an agent: the given fields, and whole sets of attachments, all or nothing. 404 for anything named that isn't
 * there, 409 for two blocks of one label.
 */
export async function modifyAgent(scope: Scope, id: string, body: UpdateAgent, defaultModel: string): Promise<Loaded> {
  await scope.transaction(async (tx) => {
    await tx.lock(agents, id)
    if (body.timezone) checkTimezone(body.timezone)
    if (body.tool_rules) await checkToolRules(tx, body.tool_rules, (await tx.get(agents, id)).tool_rules ?? [])
    if (body.message_ids) await checkMessages(tx, id, body.message_ids)
    const links = await setAttached(tx, id, body)
    await tx.update(agents, id, await columnsOf(tx, id, body), links)
    if (body.enable_sleeptime) {
      const [managed] = await tx.select(groups, (query) =>
        query
          .where('groups.manager_agent_id', '=', id)
          .where('groups.manager_type', 'in', ['sleeptime', 'voice_sleeptime']),
      )
      if (!managed) await addSleeptimePartner(tx.unconditional(), id, defaultModel)
    }
  })
  return getAgent(scope, id, { include: ALL_RELATIONS })
}
