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

/** Detaches; what isn't attached stays so. 404 when either isn't there. */
async function detach(scope: Scope, link: Link, target: Resource, agentId: string, id: string): Promise<boolean> {
  const detached = await scope.detach(link, agentId, id)
  if (!detached) {
    await scope.exists(agents, agentId)
    await scope.exists(target, id)
  }
  return detached
}

/** Attaches an archive; again changes nothing. 404; 409 when the agent has another one. */
export const attachArchive = (scope: Scope, agentId: string, id: string) => scope.attach(agentArchives, agentId, id)

export const detachArchive = (scope: Scope, agentId: string, id: string) =>
  detach(scope, agentArchives, archives, agentId, id)

/** Attaches an identity; again changes nothing. 404. */
export const attachIdentity = (scope: Scope, agentId: string, id: string) => scope.attach(agentIdentities, agentId, id)

export const detachIdentity = (scope: Scope, agentId: string, id: string) =>
  detach(scope, agentIdentities, identities, agentId, id)

/** Attaches a folder, and with the first one the tools that read files. Again changes nothing. 404. */
export function attachFolder(scope: Scope, agentId: string, id: string): Promise<void> {
  return scope.transaction(async (tx) => {
    if (!(await tx.attach(agentFolders, agentId, id))) return
    const found = await toolsByName(tx, FILE_TOOLS)
    for (const toolId of found.values()) await tx.attach(agentTools, agentId, toolId)
  })
}

/** Detaches a folder, and with the last one the tools that read files. 404. */
export function detachFolder(scope: Scope, agentId: string, id: string): Promise<void> {
  return scope.transaction(async (tx) => {
    if (!(await detach(tx, agentFolders, folders, agentId, id))) return
    if ((await tx.linkedIds(agentFolders, agentId)).length > 0) return
    const found = await toolsByName(tx, FILE_TOOLS)
    for (const toolId of found.values()) await tx.detach(agentTools, agentId, toolId)
  })
}

/** The folders attached to an agent, newest first, as sources. 404 for an unknown agent. */
export async function listFoldersOf(scope: Scope, agentId: string, page: PageQuery) {
  await scope.exists(agents, agentId)
  return scope.list(sources, { ...page, order: page.order ?? 'desc' }, (query) =>
    query.where(sql<boolean>`exists (select from agents_folders link where link.organization_id = folders.organization_id
      and link.source_id = folders.id and link.agent_id = ${agentId})`),
  )
}
