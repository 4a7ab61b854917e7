import type { App } from './http/server.ts'
import { accessTokenRoutes } from './resources/access-tokens/routes.ts'
import { agentExportRoutes } from './resources/agent-export/routes.ts'
import { archivalMemoryRoutes } from './resources/agents/archival-memory/routes.ts'
import { archivalMemorySearchRoutes } from './resources/agents/archival-memory/search-routes.ts'
import { attachmentRoutes } from './resources/agents/attachments/routes.ts'
import { coreMemoryRoutes } from './resources/agents/core-memory/routes.ts'
import { agentFileRoutes } from './resources/agents/files/routes.ts'
import { agentGroupRoutes } from './resources/agents/groups/routes.ts'
import { detachFolderFromAgents, toolHolders } from './resources/agents/holders/holders.ts'
import { folderHolderRoutes, holderRoutes } from './resources/agents/holders/routes.ts'
import { agentRoutes } from './resources/agents/routes.ts'
import { agentToolRoutes } from './resources/agents/tools/routes.ts'
import { apiKeyRoutes } from './resources/api-keys/routes.ts'
import { passageListRoutes } from './resources/archives/passage-list-routes.ts'
import { passageRoutes } from './resources/archives/passage-routes.ts'
import { archiveRoutes } from './resources/archives/routes.ts'
import { blockIdentityRoutes } from './resources/blocks/identity-routes.ts'
import { blockItemRoutes } from './resources/blocks/item-routes.ts'
import { blockRoutes } from './resources/blocks/routes.ts'
import { folderFileRoutes } from './resources/folders/file-routes.ts'
import { FOLDERS, SOURCES } from './resources/folders/forms.ts'
import { folderListRoutes } from './resources/folders/list-routes.ts'
import { folderRoutes } from './resources/folders/routes.ts'
import { uploadRoutes } from './resources/folders/upload-routes.ts'
import { groupRoutes } from './resources/groups/routes.ts'
import { healthRoutes } from './resources/health/routes.ts'
import { identityBlockRoutes } from './resources/identities/block-routes.ts'
import { identityRoutes } from './resources/identities/routes.ts'
import { modelRoutes, storageRoutes } from './resources/models/routes.ts'
import { organizationRoutes } from './resources/organizations/routes.ts'
import { userRoutes } from './resources/organizations/user-routes.ts'
import { embeddingRoutes } from './resources/passages/embedding-routes.ts'
import { passageSearchRoutes } from './resources/passages/search-routes.ts'
import { projectRoutes } from './resources/projects/routes.ts'
import { providerItemRoutes } from './resources/providers/item-routes.ts'
import { providerRoutes } from './resources/providers/routes.ts'
import { providerUpstreamRoutes } from './resources/providers/upstream-routes.ts'
import { shapes } from './resources/shapes.ts'
import { tagRoutes } from './resources/tags/routes.ts'
import { templateContentRoutes } from './resources/templates/content-routes.ts'
import { templateDeployRoutes } from './resources/templates/deploy-routes.ts'
import { templateMigrateRoutes } from './resources/templates/migrate-routes.ts'
import { projectTemplateRoutes } from './resources/templates/project-routes.ts'
import { inHeader, inPath } from './resources/templates/request.ts'
import { templateRoutes } from './resources/templates/routes.ts'
import { templateSnapshotRoutes } from './resources/templates/snapshot-routes.ts'
import { templateVersionRoutes } from './resources/templates/version-routes.ts'
import { toolActionRoutes } from './resources/tools/action-routes.ts'
import { toolItemRoutes } from './resources/tools/item-routes.ts'
import { toolRoutes } from './resources/tools/routes.ts'
import type { Services } from './services.ts'

/** A prefix, and the routes under it. */
export type Mount = readonly [prefix: string, routes: (app: App) => Promise<void>]

/** Routes without an API key. */
export const publicRoutes = (services: Services): readonly Mount[] => [['/v1', healthRoutes(services)]]

/** Routes of templates: most exist for a project that a header names, and for one that the path names. */
const templateMounts = (defaultModel: string): readonly Mount[] => {
  const fileOptions = { defaultModel, shapes }
  return [
    ['/v1/templates', templateRoutes(fileOptions)],
    ['/v1/templates', templateContentRoutes(inHeader, fileOptions)],
    ['/v1/templates', templateVersionRoutes(inHeader, defaultModel)],
    ['/v1/templates', templateDeployRoutes(inHeader, defaultModel)],
    ['/v1/templates', templateContentRoutes(inPath, fileOptions)],
    ['/v1/templates', templateVersionRoutes(inPath, defaultModel)],
    ['/v1/templates', templateDeployRoutes(inPath, defaultModel)],
    ['/v1/templates', projectTemplateRoutes(fileOptions)],
    ['/v1/templates', templateSnapshotRoutes],
    ['/v1/templates', templateMigrateRoutes(defaultModel)],
  ]
}

/** Routes with an API key: one line for each file of routes. The OpenAPI document lists them in this order. */
export const routes = (services: Services): readonly Mount[] => {
  const { config, embedders, authenticator } = services
  const toolDeps = { reader: services.reader, holders: toolHolders }
  return [
    ['/v1/agents', agentRoutes(config)],
    ['/v1/agents', agentExportRoutes({ ...config, shapes })],
    ['/v1/agents', attachmentRoutes],
    ['/v1/agents', archivalMemoryRoutes(embedders)],
    ['/v1/archives', archiveRoutes(services.stores)],
    ['/v1/archives', holderRoutes('archive')],
    ['/v1/archives', passageListRoutes(embedders, config.bodyLimit, services.database.engine === 'embedded')],
    ['/v1/archives', passageRoutes],
    ['/v1', embeddingRoutes],
    ['/v1/agents', agentFileRoutes],
    ['/v1/blocks', blockRoutes],
    ['/v1/blocks', blockItemRoutes],
    ['/v1/blocks', holderRoutes('block')],
    ['/v1/blocks', blockIdentityRoutes],
    ['/v1/agents', coreMemoryRoutes],
    ['/v1/tags', tagRoutes],
    ['/v1/tools', toolRoutes(toolDeps)],
    ['/v1/tools', toolActionRoutes(services)],
    ['/v1/tools', toolItemRoutes(toolDeps)],
    ['/v1/agents', agentToolRoutes],
    ['/v1/folders', folderListRoutes(FOLDERS)],
    ['/v1/folders', folderRoutes(FOLDERS, detachFolderFromAgents)],
    ['/v1/folders', folderHolderRoutes('folder')],
    ['/v1/folders', uploadRoutes(FOLDERS, config)],
    ['/v1/folders', folderFileRoutes(FOLDERS)],
    ['/v1/sources', folderListRoutes(SOURCES)],
    ['/v1/sources', folderRoutes(SOURCES, detachFolderFromAgents)],
    ['/v1/sources', folderHolderRoutes('source')],
    ['/v1/sources', uploadRoutes(SOURCES, config)],
    ['/v1/sources', folderFileRoutes(SOURCES)],
    ['/v1/agents', agentGroupRoutes],
    ['/v1/groups', groupRoutes],
    ['/v1/identities', identityRoutes],
    ['/v1/identities', holderRoutes('identity')],
    ['/v1/identities', identityBlockRoutes],
    ['/v1/passages', passageSearchRoutes(services)],
    ['/v1/agents', archivalMemorySearchRoutes(services)],
    ...templateMounts(config.defaultModel),
    ['/v1/providers', providerRoutes(services.egress, config.providers)],
    ['/v1/providers', providerItemRoutes(services.egress)],
    ['/v1/providers', providerUpstreamRoutes(services.egress)],
    ['/v1/models', modelRoutes],
    ['/v1/embeddings', storageRoutes],
    ['/v1/projects', projectRoutes],
    ['/v1/client-side-access-tokens', accessTokenRoutes(authenticator.forget)],
    ['/v1/api-keys', apiKeyRoutes(authenticator.forget)],
    ['/v1/admin', organizationRoutes(authenticator.forget)],
    ['/v1/admin', userRoutes(authenticator.forget)],
  ]
}
