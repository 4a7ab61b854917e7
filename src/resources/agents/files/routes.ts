import { Type } from 'typebox'
import { operationsOf } from '../../../http/operation.ts'
import type { App } from '../../../http/server.ts'
import { Message } from '../../../lib/wire.ts'
import { AgentParams } from '../schema.ts'
import { closeAllFiles, closeFile, listFilesOfAgent, openFile } from './files.ts'
import { AgentFileParams, AgentFiles, ListAgentFiles, OpenFile } from './schema.ts'

const operation = operationsOf('agents')
const Names = Type.Array(Type.String(), { description: 'The names of the files that were closed.' })

/** The files an agent sees, under `/v1/agents`. */
export async function agentFileRoutes(app: App) {
  app.get(
    '/:agent_id/files',
    operation(
      'list_files_of_agent',
      'List the files an agent sees, newest first',
      { params: AgentParams, querystring: ListAgentFiles, response: { 200: AgentFiles } },
      { clientAccess: { right: 'read_agent' } },
    ),
    ({ scope, params, query }) => listFilesOfAgent(scope, params.agent_id, query),
  )

  app.patch(
    '/:agent_id/files/close-all',
    operation('close_all_files_of_agent', 'Close the files an agent has open', {
      params: AgentParams,
      response: { 200: Names },
    }),
    ({ scope, params }) => closeAllFiles(scope, params.agent_id),
  )

  app.patch(
    '/:agent_id/files/:file_id/open',
    operation('open_file_of_agent', 'Open a file for an agent; the least recently accessed others make room for it', {
      params: AgentFileParams,
      querystring: OpenFile,
      response: { 200: Names },
    }),
    ({ scope, params, query }) => openFile(scope, params.agent_id, params.file_id, query),
  )

  app.patch(
    '/:agent_id/files/:file_id/close',
    operation('close_file_of_agent', 'Close a file for an agent', {
      params: AgentFileParams,
      response: { 200: Message },
    }),
    ({ scope, params }) => closeFile(scope, params.agent_id, params.file_id),
  )
}
