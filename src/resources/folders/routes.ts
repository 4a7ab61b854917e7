import { Type } from 'typebox'
import { sendString } from '../../http/reply.ts'
import type { App } from '../../http/server.ts'
import { Id, Ref } from '../../lib/wire.ts'
import {
  countFolders,
  createFolder,
  type Detach,
  deleteFolder,
  folderIdOf,
  listFolders,
  modifyFolder,
} from './folders.ts'
import { folderMetadata } from './metadata.ts'
import {
  CountFolders,
  CreateFolder,
  Folder,
  FolderMetadata,
  FolderNameParams,
  FolderParams,
  folders,
  ListFolders,
  RetrieveMetadata,
  UpdateFolder,
} from './schema.ts'

const tags = ['folders']
const params = FolderParams
const one = { 200: Ref(Folder) }

/** `/v1/folders`; `detachFromAgents` goes before a deletion. */
export const folderRoutes = (detachFromAgents: Detach) => async (app: App) => {
  app.get(
    '/',
    {
      schema: {
        operationId: 'list_folders',
        summary: 'List folders, oldest first',
        tags,
        querystring: ListFolders,
        response: { 200: Type.Array(Ref(Folder)) },
      },
    },
    ({ scope, query }) => listFolders(scope, folders, query),
  )

  app.get(
    '/count',
    {
      schema: {
        operationId: 'count_folders',
        summary: 'Count folders',
        tags,
        querystring: CountFolders,
        response: { 200: Type.Integer() },
      },
    },
    ({ scope, query }) => countFolders(scope, query),
  )

  app.get(
    '/metadata',
    {
      schema: {
        operationId: 'retrieve_metadata_of_folders',
        summary: 'Tell how many folders and files there are, and how large',
        tags,
        querystring: RetrieveMetadata,
        response: { 200: FolderMetadata },
      },
    },
    ({ scope, query }) => folderMetadata(scope, query.include_detailed_per_source_metadata),
  )

  app.get(
    '/name/:name',
    {
      schema: {
        operationId: 'retrieve_folder_id_by_name',
        summary: 'Tell the id of the folder with a name',
        tags,
        deprecated: true,
        params: FolderNameParams,
        response: { 200: Id('source') },
      },
    },
    async ({ scope, params }, reply) => sendString(reply, await folderIdOf(scope, params.name)),
  )

  app.post(
    '/',
    { schema: { operationId: 'create_folder', summary: 'Create a folder', tags, body: CreateFolder, response: one } },
    ({ scope, body }) => createFolder(scope, folders, body),
  )

  app.get(
    '/:folder_id',
    { schema: { operationId: 'retrieve_folder', summary: 'Retrieve a folder', tags, params, response: one } },
    ({ scope, params }) => scope.retrieve(folders, params.folder_id),
  )

  app.patch(
    '/:folder_id',
    {
      schema: {
        operationId: 'modify_folder',
        summary: 'Modify a folder',
        tags,
        params,
        body: UpdateFolder,
        response: one,
      },
    },
    ({ scope, params, body }) => modifyFolder(scope, folders, params.folder_id, body),
  )

  app.delete(
    '/:folder_id',
    {
      schema: {
        operationId: 'delete_folder',
        summary: 'Delete a folder and its files',
        tags,
        params,
        response: { 200: Type.Null() },
      },
    },
    async ({ scope, params }) => {
      await deleteFolder(scope, params.folder_id, detachFromAgents)
      return null
    },
  )
}
