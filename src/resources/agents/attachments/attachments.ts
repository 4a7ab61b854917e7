import { sql } from 'kysely'
import type { PageQuery } from '../../../db/keyset.ts'
import type { Link } from '../../../db/link.ts'
import type { Scope } from '../../../db/scope.ts'
import type { Table } from '../../../db/select.ts'
import { sources } from '../../folders/schema.ts'
import { toolsByName } from '../../tools/tools.ts'
import { FILE_TOOLS } from '../base-tools.ts'
import { showFolders } from '../files/show-files.ts'
import { agentArchives, agentFolders, agentIdentities, agentTools } from '../links.ts'
import { agents } from '../schema.ts'

/** Attaching again, or detaching what isn't attached, changes nothing. 404 when either isn't there. */
const verbs = (link: Link, target: Table) => ({
  attach: (scope: Scope, agentId: string, id: string) =>
    scope.locking(agents, agentId, (tx) => tx.attach(link, agentId, id)),
  detach: (scope: Scope, agentId: string, id: string) =>
    scope.locking(agents, agentId, async (tx) => {
      const detached = await tx.detach(link, agentId, id)
      if (!detached) await tx.exists(target, id)
      return detached
    }),
})

/** An agent has one archive at most: 409 for another. */
export const archiveVerbs = verbs(agentArchives, 'archives')

export const identityVerbs = verbs(agentIdentities, 'identities')

const ownFolderVerbs = verbs(agentFolders, 'folders')

/** Gives an agent that has folders the tools that read files, and takes them from one that has none. */
export async function matchFileTools(tx: Scope, agentId: string): Promise<void> {
  const verb = (await tx.linkedIds(agentFolders, agentId)).length > 0 ? tx.attach : tx.detach
  for (const tool of (await toolsByName(tx, FILE_TOOLS)).values()) await verb(agentTools, agentId, tool)
}

/** With its first folder an agent gets the tools that read files, and loses them with its last. Its files come and go. */
export const folderVerbs = {
  attach: (scope: Scope, agentId: string, id: string) =>
    scope.locking(agents, agentId, async (tx) => {
      if (!(await ownFolderVerbs.attach(tx.withoutIfMatch(), agentId, id))) return
      await matchFileTools(tx, agentId)
      await showFolders(tx, [agentId])
    }),
  detach: (scope: Scope, agentId: string, id: string) =>
    scope.locking(agents, agentId, async (tx) => {
      if (await ownFolderVerbs.detach(tx.withoutIfMatch(), agentId, id)) await matchFileTools(tx, agentId)
    }),
}

/** The folders attached to an agent, newest first, as sources. 404 for an unknown agent. */
export async function listFoldersOf(scope: Scope, agentId: string, page: PageQuery) {
  await scope.exists('agents', agentId)
  return scope.list(sources, { ...page, order: page.order ?? 'desc' }, (query) =>
    query.where(sql<boolean>`exists (select from agents_folders link where link.organization_id = ${scope.organizationId}
      and link.source_id = folders.id and link.agent_id = ${agentId})`),
  )
}
