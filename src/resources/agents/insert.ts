import type { Attachments } from '../../db/link.ts'
import type { Scope } from '../../db/scope.ts'
import { checkAll, settled } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { newBlocks } from '../blocks/blocks.ts'
import { blocks } from '../blocks/schema.ts'
import { withUsualDescription } from '../blocks/usual-descriptions.ts'
import { createFolder } from '../folders/folders.ts'
import { folders } from '../folders/schema.ts'
import { firstThread } from '../messages/first-messages.ts'
import { insertThreads } from '../messages/insert.ts'
import type { CreateAgent } from './body.ts'
import { showFolders } from './files/show-files.ts'
import { toolsOf } from './initial-tools.ts'
import { agentBlocks, agentFolders, agentIdentities, agentTools } from './links.ts'
import { catalogFor } from './model.ts'
import { newAgent, withModel } from './new-agent.ts'
import { agents } from './schema.ts'
import { setSecrets } from './secrets.ts'

/**
 * Makes the agent with everything attached to it, inside the scope's transaction. Returns its id. `own` are columns
 * besides.
 */
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
    () => newBlocks((body.memory_blocks ?? []).map((block) => withUsualDescription(tx, block))),
    await settled(toolsOf(tx, body, withFolders)),
  )
  const id = newId('agent')
  const thread = firstThread(row.system, row.agent_type, row.timezone, body.initial_message_sequence)
  const made = await tx.insertMany(blocks, newOnes)
  if (body.include_default_source) {
    folderIds.push((await createFolder(tx, folders, { name: `${row.name} External Data Source` })).id)
  }
  const secrets =
    (Object.keys(body.secrets ?? {}).length > 0 ? body.secrets : body.tool_exec_environment_variables) ?? {}
  const attachments: Attachments = [
    [agentBlocks, [...made.map((block) => block.id!), ...(body.block_ids ?? [])]],
    [agentTools, tool_ids],
    [agentFolders, folderIds],
    [agentIdentities, body.identity_ids ?? []],
    [{ table: 'agent_environment_variables' }, Object.keys(secrets)],
  ]
  await tx.insert(
    agents,
    {
      ...own,
      id,
      ...row,
      tool_rules,
    },
    attachments,
  )
  if (folderIds.length > 0) await showFolders(tx, [id])
  await setSecrets(tx, id, secrets)
  await insertThreads(tx, new Map([[id, thread]]))
  return id
}
