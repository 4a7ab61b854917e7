import type { App } from './http/server.ts'
import { accessTokenRoutes } from './resources/access-tokens/routes.ts'
import { agentExportRoutes } from './resources/agent-export/routes.ts'
import { archivalMemoryRoutes, archivalMemorySearchRoutes } from './resources/agents/archival-memory/routes.ts'
import { attachmentRoutes } from './resources/agents/attachments/routes.ts'
import { agentContextRoutes } from './resources/agents/context/routes.ts'
import { coreMemoryRoutes } from './resources/agents/core-memory/routes.ts'
import { agentFileRoutes } from './resources/agents/files/routes.ts'
import { agentGroupRoutes } from './resources/agents/groups/routes.ts'
import { detachFolderFromAgents, toolHolders } from './resources/agents/holders/holders.ts'
import { folderHolderRoutes, holderRoutes } from './resources/agents/holders/routes.ts'
import { agentMessageRoutes } from './resources/agents/messages/routes.ts'
import { agentRoutes } from './resources/agents/routes.ts'
import { scheduleRoutes } from './resources/agents/schedule/routes.ts'
import { agentToolRoutes } from './resources/agents/tools/routes.ts'
import { agentToolRunRoutes, toolRunRoutes } from './resources/agents/tools/run-routes.ts'
import { apiKeyRoutes } from './resources/api-keys/routes.ts'
import { approvalRoutes } from './resources/approvals/routes.ts'
import { passageRoutes } from './resources/archives/passage-routes.ts'
import { archiveRoutes } from './resources/archives/routes.ts'
import { batchRoutes } from './resources/batches/routes.ts'
import { blockIdentityRoutes, blockRoutes } from './resources/blocks/routes.ts'
import { budgetRoutes } from './resources/budgets/routes.ts'
import { changeRoutes } from './resources/changes/routes.ts'
import { chatCompletionRoutes, openAiRoutes } from './resources/chat-completions/routes.ts'
import { conversationContextRoutes } from './resources/conversations/context-routes.ts'
import { conversationMessageRoutes } from './resources/conversations/message-routes.ts'
import { conversationRoutes } from './resources/conversations/routes.ts'
import { folderFileRoutes } from './resources/folders/file-routes.ts'
import { FOLDERS, folderListRoutes, folderRoutes, SOURCES } from './resources/folders/routes.ts'
import { uploadRoutes } from './resources/folders/upload-routes.ts'
import { groupMessageRoutes } from './resources/groups/message-routes.ts'
import { groupRoutes } from './resources/groups/routes.ts'
import { serverAdminRoutes } from './resources/health/admin-routes.ts'
import { metricsRoutes } from './resources/health/metrics-routes.ts'
import { healthRoutes } from './resources/health/routes.ts'
import { identityBlockRoutes, identityRoutes } from './resources/identities/routes.ts'
import { mcpEndpointRoutes } from './resources/mcp-endpoint/routes.ts'
import { namedServerRoutes, namedToolRoutes } from './resources/mcp-servers/by-name/routes.ts'
import { mcpCallbackRoutes } from './resources/mcp-servers/callback-routes.ts'
import { mcpServerRoutes, mcpToolRoutes } from './resources/mcp-servers/routes.ts'
import { messageChangeRoutes } from './resources/messages/change-routes.ts'
import { messageRoutes } from './resources/messages/routes.ts'
import { modelRoutes, storageRoutes } from './resources/models/routes.ts'
import { adminRoutes } from './resources/organizations/routes.ts'
import { embeddingRoutes } from './resources/passages/embedding-routes.ts'
import { passageSearchRoutes } from './resources/passages/search-routes.ts'
import { projectRoutes } from './resources/projects/routes.ts'
import { providerItemRoutes, providerRoutes } from './resources/providers/routes.ts'
import { runRoutes } from './resources/runs/routes.ts'
import { sandboxConfigRoutes } from './resources/sandbox-configs/routes.ts'
import { sandboxVariableRoutes } from './resources/sandbox-variables/routes.ts'
import { shapes } from './resources/shapes.ts'
import { stepRoutes, telemetryRoutes } from './resources/steps/routes.ts'
import { tagRoutes } from './resources/tags/routes.ts'
import { projectTemplateRoutes, templateRoutes } from './resources/templates/routes.ts'
import { inHeader, inPath, templateSourceRoutes } from './resources/templates/source-routes.ts'
import { toolRoutes } from './resources/tools/routes.ts'
import type { Services } from './services.ts'

/** A prefix, and the routes under it. */
export type Mount = readonly [prefix: string, routes: (app: App) => Promise<void>]

/** Routes without an API key. */
export const publicRoutes = (services: Services): readonly Mount[] => [
  ['/v1', healthRoutes(services)],
  ['/v1', mcpCallbackRoutes(services.scopeOf, services.tools.mcp.egress.fetch)],
]

/** Routes through which agents run. */
const runtimeRoutes = (services: Services): readonly Mount[] => [
  ['/v1/agents', agentMessageRoutes(services.runtime)],
  ['/v1', messageRoutes(services)],
  ['/v1', messageChangeRoutes],
  ['/v1/budgets', budgetRoutes],
  ['/v1/messages/batches', batchRoutes(services.runtime, services.config.bodyLimit)],
  ['/v1/agents', scheduleRoutes],
  ['/v1/agents', agentContextRoutes(services)],
  ['/v1/conversations', conversationRoutes(services.runtime)],
  ['/v1/conversations', conversationMessageRoutes(services.runtime)],
  ['/v1/conversations', conversationContextRoutes(services)],
  ['/v1/groups', groupMessageRoutes(services.runtime)],
  ['/v1/approvals', approvalRoutes],
  ['/v1/runs', runRoutes(services.runtime)],
  ['/v1/steps', stepRoutes],
  ['/v1/telemetry', telemetryRoutes],
]

/** Routes of tools, and of the servers outside that have some. */
const routesOfTools = (services: Services): readonly Mount[] => [
  ['/v1/tools', toolRoutes({ ...services, holders: toolHolders })],
  ['/v1/agents', agentToolRoutes],
  ['/v1/agents', agentToolRunRoutes(services.tools)],
  ['/v1/tools', toolRunRoutes(services)],
  ['/v1/mcp-servers', mcpServerRoutes(services.tools.mcp)],
  ['/v1/mcp-servers', mcpToolRoutes(services.tools.mcp)],
  ['/v1/tools/mcp/servers', namedServerRoutes(services.tools.mcp)],
  ['/v1/tools/mcp/servers', namedToolRoutes(services.tools.mcp)],
]

/** Routes with an API key: one line for each file of routes. The OpenAPI document lists them in this order. */
export const routes = (services: Services): readonly Mount[] => {
  const { config, embedders, authenticator } = services
  const fileOptions = { defaultModel: config.defaultModel, shapes }
  return [
    ['/v1/agents', agentRoutes(config)],
    ['/v1/agents', agentExportRoutes(fileOptions)],
    ['/v1/agents', attachmentRoutes],
    ['/v1/agents', archivalMemoryRoutes(embedders)],
    ...runtimeRoutes(services),
    ['/v1/archives', archiveRoutes(services.stores)],
    ['/v1/archives', holderRoutes('archive')],
    ['/v1/archives', passageRoutes(embedders, config.bodyLimit, services.database.engine === 'embedded')],
    ['/v1', embeddingRoutes],
    ['/v1/agents', agentFileRoutes],
    ['/v1/blocks', blockRoutes],
    ['/v1/blocks', holderRoutes('block')],
    ['/v1/blocks', blockIdentityRoutes],
    ['/v1/agents', coreMemoryRoutes],
    ['/v1/tags', tagRoutes],
    ...routesOfTools(services),
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
    ['/v1/templates', templateRoutes(fileOptions)],
    ['/v1/templates', templateSourceRoutes(inHeader, fileOptions)],
    ['/v1/templates', templateSourceRoutes(inPath, fileOptions)],
    ['/v1/templates', projectTemplateRoutes(fileOptions)],
    ['/v1/providers', providerRoutes(services.egress, config.providers)],
    ['/v1/providers', providerItemRoutes(services.egress)],
    ['/v1/models', modelRoutes(services.relist)],
    ['/v1/chat', chatCompletionRoutes(services.runtime)],
    ['/v1/openai', openAiRoutes(services.runtime)],
    ['/v1/embeddings', storageRoutes],
    ['/v1/projects', projectRoutes],
    ['/v1/changes', changeRoutes],
    ['/v1/sandbox-config', sandboxConfigRoutes(services.sandbox)],
    ['/v1/sandbox-config', sandboxVariableRoutes],
    ['/v1/client-side-access-tokens', accessTokenRoutes(authenticator.forget)],
    ['/v1/api-keys', apiKeyRoutes(authenticator.forget)],
    ['/v1/admin', adminRoutes(authenticator.forget)],
    ['/v1/admin', serverAdminRoutes(services)],
    ['/mcp', mcpEndpointRoutes(services.version, config.corsOrigins)],
    ['', metricsRoutes(services.telemetry)],
  ]
}
