import { Type } from 'typebox'
import type { App } from '../../../http/server.ts'
import { Message } from '../../../lib/wire.ts'
import { AgentParams } from '../schema.ts'
import { closeAllFiles, closeFile, listFilesOfAgent, openFile } from './files.ts'
import { AgentFileParams, AgentFiles, ListAgentFiles, OpenFile } from './schema.ts'

const tags = ['agents']
const Names = Type.Array(Type.String(), { description: 'The names of the files that were closed.' })

/** The files an agent sees, under `/v1/agents`. */
export async function agentFileRoutes(app: App) {
  app.get(
    '/:agent_id/files',
    {
      config: { clientAccess: { right: 'read_agent' } },
      schema: {
        operationId: 'list_files_of_agent',
        summary: 'List the files an agent sees, newest first',
        tags,
        params: AgentParams,
        querystring: ListAgentFiles,
        response: { 200: AgentFiles },
      },
    },
    ({ scope, params, query }) => listFilesOfAgent(scope, params.agent_id, query),
  )

  app.patch(
    '/:agent_id/files/close-all',
    {
      schema: {
        operationId: 'close_all_files_of_agent',
        summary: 'Close the files an agent has open',
        tags,
        params: AgentParams,
        response: { 200: Names },
      },
    },
    ({ scope, params }) => closeAllFiles(scope, params.agent_id),
  )

  app.patch(
    '/:agent_id/files/:file_id/open',
    {
      schema: {
        operationId: 'open_file_of_agent',
        summary: 'Open a file for an agent; the least recently accessed others make room for it',
        tags,
        params: AgentFileParams,
        querystring: OpenFile,
        response: { 200: Names },
      },
    },
    ({ scope, params, query }) => openFile(scope, params.agent_id, params.file_id, query),
  )

  app.patch(
    '/:agent_id/files/:file_id/close',
    {
      schema: {
        operationId: 'close_file_of_agent',
        summary: 'Close a file for an agent',
        tags,
        params: AgentFileParams,
        response: { 200: Message },
      },
    },
    ({ scope, params }) => closeFile(scope, params.agent_id, params.file_id),
  )
}
