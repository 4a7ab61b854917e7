import { Type } from 'typebox'
import { operationsOf } from '../../../http/operation.ts'
import type { App } from '../../../http/server.ts'
import { Message } from '../../../lib/wire.ts'
import { AgentParams } from '../schema.ts'
import { closeAllFiles, closeFile, listFilesOfAgent, openFile } from './files.ts'
import { AgentFileParams, AgentFiles, ListAgentFiles, OpenFile } from './schema.ts'

const Names = Type.Array(Type.String(), { description: 'The names of the files that were closed.' })

const operations = operationsOf('agents', {
  list_files_of_agent: [
    'List the files an agent sees, newest first',
    { params: AgentParams, querystring: ListAgentFiles, response: { 200: AgentFiles } },
    { clientAccess: { right: 'read_agent' } },
  ],
  close_all_files_of_agent: ['Close the files an agent has open', { params: AgentParams, response: { 200: Names } }],
  open_file_of_agent: [
    'Open a file for an agent; the least recently accessed others make room for it',
    { params: AgentFileParams, querystring: OpenFile, response: { 200: Names } },
  ],
  close_file_of_agent: ['Close a file for an agent', { params: AgentFileParams, response: { 200: Message } }],
})

/** The files an agent sees, under `/v1/agents`. */
export async function agentFileRoutes(app: App) {
  app.get('/:agent_id/files', operations.list_files_of_agent, ({ scope, params, query }) =>
    listFilesOfAgent(scope, params.agent_id, query),
  )

  app.patch('/:agent_id/files/close-all', operations.close_all_files_of_agent, ({ scope, params }) =>
    closeAllFiles(scope, params.agent_id),
  )

  app.patch('/:agent_id/files/:file_id/open', operations.open_file_of_agent, ({ scope, params, query }) =>
    openFile(scope, params.agent_id, params.file_id, query),
  )

  app.patch('/:agent_id/files/:file_id/close', operations.close_file_of_agent, ({ scope, params }) =>
    closeFile(scope, params.agent_id, params.file_id),
  )
}
