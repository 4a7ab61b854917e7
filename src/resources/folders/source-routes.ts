import { Type } from 'typebox'
import { sendString } from '../../http/reply.ts'
import type { App } from '../../http/server.ts'
import { Id, Params, Ref } from '../../lib/wire.ts'
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
  FolderMetadata,
  FolderNameParams,
  ListFolders,
  RetrieveMetadata,
  Source,
  sources,
  UpdateFolder,
} from './schema.ts'

const tags = ['folders']
const deprecated = true
const params = Params({ source_id: Id('source') })
const one = { 200: Ref(Source) }

/** `/v1/sources`: folders under their old name; `detachFromAgents` goes before a deletion. */
export const sourceRoutes = (detachFromAgents: Detach) => async (app: App) => {
  app.get(
    '/',
    {
      schema: {
        operationId: 'list_sources',
        summary: 'List folders, oldest first (deprecated: list folders)',
        tags,
        deprecated,
        querystring: ListFolders,
        response: { 200: Type.Array(Ref(Source)) },
      },
    },
    ({ scope, query }) => listFolders(scope, sources, query),
  )

  app.get(
    '/count',
    {
      schema: {
        operationId: 'count_sources',
        summary: 'Count folders (deprecated)',
        tags,
        deprecated,
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
        operationId: 'retrieve_metadata_of_sources',
        summary: 'Tell how many folders and files there are, and how large (deprecated)',
        tags,
        deprecated,
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
        operationId: 'retrieve_source_id_by_name',
        summary: 'Tell the id of the folder with a name (deprecated)',
        tags,
        deprecated,
        params: FolderNameParams,
        response: { 200: Id('source') },
      },
    },
    async ({ scope, params }, reply) => sendString(reply, await folderIdOf(scope, params.name)),
  )

  app.post(
    '/',
    {
      schema: {
        operationId: 'create_source',
        summary: 'Create a folder (deprecated)',
        tags,
        deprecated,
        body: CreateFolder,
        response: one,
      },
    },
    ({ scope, body }) => createFolder(scope, sources, body),
  )

  app.get(
    '/:source_id',
    {
      schema: {
        operationId: 'retrieve_source',
        summary: 'Retrieve a folder (deprecated)',
        tags,
        deprecated,
        params,
        response: one,
      },
    },
    ({ scope, params }) => scope.retrieve(sources, params.source_id),
  )

  app.patch(
    '/:source_id',
    {
      schema: {
        operationId: 'modify_source',
        summary: 'Modify a folder (deprecated)',
        tags,
        deprecated,
        params,
        body: UpdateFolder,
        response: one,
      },
    },
    ({ scope, params, body }) => modifyFolder(scope, sources, params.source_id, body),
  )

  app.delete(
    '/:source_id',
    {
      schema: {
        operationId: 'delete_source',
        summary: 'Delete a folder and its files (deprecated)',
        tags,
        deprecated,
        params,
        response: { 200: Type.Null() },
      },
    },
    async ({ scope, params }) => {
      await deleteFolder(scope, params.source_id, detachFromAgents)
      return null
    },
  )
}
