import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Scope } from '../../../db/scope.ts'
import { expectsRelations } from '../../../http/letta.ts'
import { operationOf } from '../../../http/operation.ts'
import type { App } from '../../../http/server.ts'
import { Id, OrNull, Page, Params, Query, Ref } from '../../../lib/wire.ts'
import { Source } from '../../folders/schema.ts'
import { retrieveAgent } from '../agents.ts'
import { ALL_RELATIONS } from '../relations.ts'
import { Agent, AgentParams } from '../schema.ts'
import { archiveVerbs, folderVerbs, identityVerbs, listFoldersOf } from './attachments.ts'

/** The response of an attachment or detachment: null, but the changed agent for older clients, which read it. */
export const Attached = {
  200: {
    ...OrNull(Ref(Agent)),
    description: 'Null. Under `/letta`, to clients other than the SDKs of version 1: the agent as it is now.',
  },
}

/** The response of type `Attached` to a request that has changed an agent. */
export const attachedTo = async (request: FastifyRequest, agentId: string) =>
  expectsRelations(request) ? retrieveAgent(request.scope, agentId, { include: ALL_RELATIONS }) : null

/** The attachments of agents, by their paths: `/v1/agents/{agent_id}/<path>/attach/{id}`. */
const ATTACHMENTS = [
  { path: 'archives', noun: 'archive', parameter: 'archive_id', prefix: 'archive', verbs: archiveVerbs },
  { path: 'folders', noun: 'folder', parameter: 'folder_id', prefix: 'source', verbs: folderVerbs },
  { path: 'sources', noun: 'source', parameter: 'source_id', prefix: 'source', verbs: folderVerbs },
  { path: 'identities', noun: 'identity', parameter: 'identity_id', prefix: 'identity', verbs: identityVerbs },
] as const

/** The attachments of `/v1/agents/{agent_id}`: archives, folders (also under their old name, sources), identities. */
export async function attachmentRoutes(app: App) {
  for (const { path, noun, parameter, prefix, verbs } of ATTACHMENTS) {
    for (const verb of ['attach', 'detach'] as const) {
      const act: (scope: Scope, agentId: string, id: string) => Promise<unknown> = verbs[verb]
      app.patch(
        `/:agent_id/${path}/${verb}/:${parameter}`,
        operationOf(
          'agents',
          `${verb}_${noun}_${verb === 'attach' ? 'to' : 'from'}_agent`,
          `${verb === 'attach' ? 'Attach' : 'Detach'} ${noun === 'folder' || noun === 'source' ? `a ${noun}` : `an ${noun}`}`,
          { params: Params({ agent_id: Id('agent'), [parameter]: Id(prefix) }), response: Attached },
        ),
        async (request) => {
          const { agent_id, [parameter]: id } = request.params as Record<string, string>
          await act(request.scope, agent_id!, id!)
          return attachedTo(request, agent_id!)
        },
      )
    }
  }

  for (const path of ['folders', 'sources']) {
    app.get(
      `/:agent_id/${path}`,
      operationOf(
        'agents',
        `list_${path}_of_agent`,
        `List the ${path} attached to an agent, newest first`,
        { params: AgentParams, querystring: Query(Page('source')), response: { 200: Type.Array(Ref(Source)) } },
        { clientAccess: { right: 'read_agent' } },
      ),
      ({ scope, params, query }) => listFoldersOf(scope, params.agent_id, query),
    )
  }
}
