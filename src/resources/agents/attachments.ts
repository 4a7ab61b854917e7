import { sql } from 'kysely'
import type { PageQuery } from '../../db/page.ts'
import type { Link, Resource } from '../../db/resource.ts'
import type { Scope } from '../../db/scope.ts'
import { archives } from '../archives/schema.ts'
import { folders, sources } from '../folders/schema.ts'
import { identities } from '../identities/schema.ts'
import { toolsByName } from '../tools/tools.ts'
import { agentArchives, agentFolders, agentIdentities, agentTools } from './links.ts'
import { agents } from './schema.ts'

/** The tools with which an agent reads the files of its folders. */
const FILE_TOOLS = ['open_files', 'grep_files', 'semantic_search_files']

/** Holds the agent while its attachments change. 404, or 412 with the current ETag. */
const onAgent = <T>(scope: Scope, agentId: string, work: (tx: Scope) => Promise<T>) =>
  scope.transaction(async (tx) => {
    await tx.lock(agents, agentId)
    return work(tx)
  })

/** Attaching again, or detaching what isn't attached, changes nothing. 404 when either isn't there. */
const verbs = (link: Link, target: Resource) => ({
  attach: (scope: Scope, agentId: string, id: string) => onAgent(scope, agentId, (tx) => tx.attach(link, agentId, id)),
  detach: (scope: Scope, agentId: string, id: string) =>
    onAgent(scope, agentId, async (tx) => {
      const detached = await tx.detach(link, agentId, id)
      if (!detached) await tx.exists(target, id)
      return detached
    }),
})

/** An agent has one archive at most: 409 for another. */
export const archiveVerbs = verbs(agentArchives, archives)

export const identityVerbs = verbs(agentIdentities, identities)

const ownFolderVerbs = verbs(agentFolders, folders)

/** With its first folder an agent gets the tools that read files, and loses them with its last. */
export const folderVerbs = {
  attach: (scope: Scope, agentId: string, id: string) =>
    onAgent(scope, agentId, async (tx) => {
      if (!(await ownFolderVerbs.attach(tx, agentId, id))) return
      for (const tool of (await toolsByName(tx, FILE_TOOLS)).values()) await tx.attach(agentTools, agentId, tool)
    }),
  detach: (scope: Scope, agentId: string, id: string) =>
    onAgent(scope, agentId, async (tx) => {
      if (!(await ownFolderVerbs.detach(tx, agentId, id))) return
      if ((await tx.linkedIds(agentFolders, agentId)).length > 0) return
      for (const tool of (await toolsByName(tx, FILE_TOOLS)).values()) await tx.detach(agentTools, agentId, tool)
    }),
}

/** The folders attached to an agent, newest first, as sources. 404 for an unknown agent. */
export async function listFoldersOf(scope: Scope, agentId: string, page: PageQuery) {
  await scope.exists(agents, agentId)
  return scope.list(sources, { ...page, order: page.order ?? 'desc' }, (query) =>
    query.where(sql<boolean>`exists (select from agents_folders link where link.organization_id = folders.organization_id
      and link.source_id = folders.id and link.agent_id = ${agentId})`),
  )
}
