import type { FastifyReply, FastifySchema } from 'fastify'
import { Type } from 'typebox'
import type { Resource } from '../../db/resource.ts'
import { operationOf } from '../../http/operation.ts'
import type { App } from '../../http/server.ts'
import { Id, Params, Ref } from '../../lib/wire.ts'
import { CreateFolder, UpdateFolder } from './body.ts'
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
import { CountFolders, FolderMetadata, FolderNameParams, ListFolders, RetrieveMetadata } from './query.ts'
import { Folder, folders, Source, sources } from './schema.ts'

/** Sends a string as a JSON string: a string that a handler returns is sent as plain text. */
const sendString = (reply: FastifyReply, text: string) => reply.type('application/json').send(JSON.stringify(text))

/** One of the two forms that folders have on the wire. The routes of both forms are made from the same definition. */
export type FolderForm = ReturnType<typeof formOf>

function formOf(
  noun: 'folder' | 'source',
  shape: typeof Folder | typeof Source,
  resource: Resource<Folder, 'folders'>,
) {
  const deprecated = noun === 'source'
  const parameter = `${noun}_id` as const
  return {
    noun,
    resource,
    response: { 200: Ref(shape) },
    /** The part of a path that holds the id of a folder. */
    path: `/:${parameter}` as const,
    params: Params({ [parameter]: Id('source') }),
    fileParams: Params({ [parameter]: Id('source'), file_id: Id('file') }),
    /** The id of the folder in the parameters of a path. */
    idIn: (params: Record<string, string>) => params[parameter]!,
    /** The options of a route of this form. `note`: added to the summary of the deprecated form. */
    operation: <const S extends FastifySchema>(
      operationId: string,
      summary: string,
      schema: S,
      { tag = 'folders', note = 'deprecated' }: { tag?: 'folders' | 'files'; note?: string } = {},
    ) =>
      operationOf(tag, operationId, deprecated ? `${summary} (${note})` : summary, {
        ...(deprecated && { deprecated }),
        ...schema,
      } as S),
  }
}

/** `/v1/folders` */
export const FOLDERS = formOf('folder', Folder, folders)

/** `/v1/sources`: the deprecated form. */
export const SOURCES = formOf('source', Source, sources)

/** Lists, counts and finds folders. */
export const folderListRoutes =
  ({ noun, resource, response, operation }: FolderForm) =>
  async (app: App) => {
    const list = { querystring: ListFolders, response: { 200: Type.Array(response[200]) } }
    app.get(
      '/',
      operation(`list_${noun}s`, 'List folders, oldest first', list, { note: 'deprecated: list folders' }),
      ({ scope, query }) => listFolders(scope, resource, query),
    )

    const count = { querystring: CountFolders, response: { 200: Type.Integer() } }
    app.get('/count', operation(`count_${noun}s`, 'Count folders', count), ({ scope, query }) =>
      countFolders(scope, query),
    )

    app.get(
      '/metadata',
      operation(`retrieve_metadata_of_${noun}s`, 'Report the number and the size of folders and files', {
        querystring: RetrieveMetadata,
        response: { 200: FolderMetadata },
      }),
      ({ scope, query }) => folderMetadata(scope, query.include_detailed_per_source_metadata),
    )

    app.get(
      '/name/:name',
      operation(`retrieve_${noun}_id_by_name`, 'Retrieve the id of the folder with a name', {
        deprecated: true,
        params: FolderNameParams,
        response: { 200: Id('source') },
      }),
      async ({ scope, params }, reply) => sendString(reply, await folderIdOf(scope, params.name)),
    )
  }

const config = { namesModels: 'refused' } as const

/** Makes, retrieves, changes and deletes a folder; `detachFromAgents` goes before a deletion. */
export const folderRoutes =
  ({ noun, resource, response, path, params, idIn, operation }: FolderForm, detachFromAgents: Detach) =>
  async (app: App) => {
    app.post(
      '/',
      { ...operation(`create_${noun}`, 'Create a folder', { body: CreateFolder, response }), config },
      ({ scope, body }) => createFolder(scope, resource, body),
    )

    app.get(path, operation(`retrieve_${noun}`, 'Retrieve a folder', { params, response }), ({ scope, params }) =>
      scope.retrieve(resource, idIn(params)),
    )

    app.patch(
      path,
      { ...operation(`modify_${noun}`, 'Modify a folder', { params, body: UpdateFolder, response }), config },
      ({ scope, params, body }) => modifyFolder(scope, resource, idIn(params), body),
    )

    app.delete(
      path,
      operation(`delete_${noun}`, 'Delete a folder and its files', { params, response: { 200: Type.Null() } }),
      async ({ scope, params }) => {
        await deleteFolder(scope, idIn(params), detachFromAgents)
        return null
      },
    )
  }
