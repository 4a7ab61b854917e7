import { Type } from 'typebox'
import { operationOf } from '../../../http/operation.ts'
import type { App } from '../../../http/server.ts'
import { Id, Params, Ref } from '../../../lib/wire.ts'
import { listAgentsOf } from '../agents.ts'
import { ListRelatedAgents } from '../query.ts'
import { Agent } from '../schema.ts'
import { listAgentIdsOfFolder } from './holders.ts'
import { ListAgentIds } from './schema.ts'

/** The resources whose agents are listed as agents. */
const ATTACHED = {
  archive: { article: 'an', tag: 'archives', table: 'agents_archives', rows: 'archives' },
  block: { article: 'a', tag: 'blocks', table: 'agents_blocks', rows: 'blocks' },
  identity: { article: 'an', tag: 'identities', table: 'agents_identities', rows: 'identities' },
} as const

/** `/v1/archives/{archive_id}/agents` and the like: the agents that a resource is attached to. */
export const holderRoutes = (noun: keyof typeof ATTACHED) => async (app: App) => {
  const { article, tag, table, rows } = ATTACHED[noun]
  const parameter = `${noun}_id` as const
  app.get(
    `/:${parameter}/agents`,
    operationOf(tag, `list_agents_of_${noun}`, `List the agents ${article} ${noun} is attached to`, {
      params: Params({ [parameter]: Id(noun) }),
      querystring: ListRelatedAgents,
      response: { 200: Type.Array(Ref(Agent)) },
    }),
    async ({ scope, params, query }) => {
      const id = (params as Record<string, string>)[parameter]!
      await scope.exists(rows, id)
      return listAgentsOf(scope, table, parameter, id, query)
    },
  )
}

/** `/v1/folders/{folder_id}/agents`, also under the old name of folders, sources: the ids of the agents. */
export const folderHolderRoutes = (noun: 'folder' | 'source') => async (app: App) => {
  const parameter = `${noun}_id` as const
  const deprecated = noun === 'source'
  app.get(
    `/:${parameter}/agents`,
    operationOf(
      'folders',
      `list_agents_of_${noun}`,
      `List the ids of the agents a folder is attached to${deprecated ? ' (deprecated)' : ''}`,
      {
        ...(deprecated && { deprecated }),
        params: Params({ [parameter]: Id('source') }),
        querystring: ListAgentIds,
        response: { 200: Type.Array(Id('agent')) },
      },
    ),
    ({ scope, params, query }) => listAgentIdsOfFolder(scope, (params as Record<string, string>)[parameter]!, query),
  )
}
