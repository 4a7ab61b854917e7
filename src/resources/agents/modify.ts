import type { LinkChange } from '../../db/link.ts'
import type { Rendered } from '../../db/render/rendered.ts'
import type { Scope } from '../../db/scope.ts'
import { checkAll, settled } from '../../lib/errors.ts'
import { groups } from '../groups/schema.ts'
import { checkMessages, setThread } from '../messages/insert.ts'
import { retrieveAgent } from './agents.ts'
import { matchFileTools } from './attachments/attachments.ts'
import type { UpdateAgent } from './body.ts'
import { changedColumns } from './changed-columns.ts'
import { checkToolRules } from './check-tool-rules.ts'
import { refitFiles, showFolders } from './files/show-files.ts'
import { agentBlocks, agentFolders, agentIdentities, agentTools } from './links.ts'
import { ALL_RELATIONS } from './relations.ts'
import { type Agent, agents } from './schema.ts'
import { setSecrets } from './secrets.ts'
import { addSleeptimePartner, SLEEPTIME, shareWithPartners } from './sleeptime.ts'
import { checkTimezone } from './timezone.ts'
import { storedRules } from './tool-rules.ts'

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

/**
 * Changes the fields of an agent that the body names, and whole sets of attachments, all or nothing. 404 for an attachment
 * that the organization doesn't have, 409 for two blocks of one label.
 */
export async function modifyAgent(
  scope: Scope,
  id: string,
  body: UpdateAgent,
  defaultModel: string,
): Promise<Rendered<Agent>> {
  return scope.transaction(async (tx) => {
    await changeAgent(tx, id, body, defaultModel)
    // Inside the transaction, whose lock keeps later changes out of the response.
    return retrieveAgent(tx, id, { include: ALL_RELATIONS })
  })
}

/** Changes an agent as `modifyAgent`, inside the scope's transaction, which locks the agent until its end. */
export async function changeAgent(tx: Scope, id: string, body: UpdateAgent, defaultModel: string): Promise<void> {
  await tx.lock(agents, id)
  const current = await tx.get(agents, id)
  const [{ message_ids, pending_approval, ...columns }, tool_rules] = checkAll(
    await settled(changedColumns(tx, current, body)),
    () => storedRules(body.tool_rules),
    await settled(checkToolRules(tx, body.tool_rules ?? [], current.tool_rules ?? [])),
    () => checkTimezone(body.timezone),
  )
  if (body.message_ids) await checkMessages(tx, id, body.message_ids)
  const links = await setAttached(tx, id, body)
  const folders = links.some(({ table }) => table === agentFolders.table)
  await setThread(tx, id, { message_ids, pending_approval })
  await tx.update(agents, id, { ...columns, tool_rules }, links)
  const added = links.find(({ table }) => table === agentBlocks.table)?.added ?? []
  if (added.length > 0) await shareWithPartners(tx, id, added)
  if (folders) {
    await matchFileTools(tx, id)
    await showFolders(tx, [id])
  }
  const limits = [body.max_files_open, body.per_file_view_window_char_limit]
  if (limits.some((limit) => limit !== undefined)) await refitFiles(tx, id)
  if (body.enable_sleeptime) {
    const [managed] = await tx.select(groups, (query) =>
      query.where('groups.manager_agent_id', '=', id).where('groups.manager_type', 'in', SLEEPTIME),
    )
    if (!managed) await addSleeptimePartner(tx.withoutIfMatch(), id, defaultModel)
  }
}
