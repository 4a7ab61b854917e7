import { Type } from 'typebox'
import { sendString } from '../../http/reply.ts'
import type { App } from '../../http/server.ts'
import { Id } from '../../lib/wire.ts'
import { countFolders, folderIdOf, listFolders } from './folders.ts'
import type { FolderForm } from './forms.ts'
import { folderMetadata } from './metadata.ts'
import { CountFolders, FolderMetadata, FolderNameParams, ListFolders, RetrieveMetadata } from './query.ts'

/** Lists, counts and finds folders. */
export const folderListRoutes =
  ({ noun, resource, response, operation }: FolderForm) =>
  async (app: App) => {
    app.get(
      '/',
      {
        schema: {
          ...operation(`list_${noun}s`, 'List folders, oldest first', 'folders', 'deprecated: list folders'),
          querystring: ListFolders,
          response: { 200: Type.Array(response[200]) },
        },
      },
      ({ scope, query }) => listFolders(scope, resource, query),
    )

    app.get(
      '/count',
      {
        schema: {
          ...operation(`count_${noun}s`, 'Count folders'),
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
          ...operation(`retrieve_metadata_of_${noun}s`, 'Tell how many folders and files there are, and how large'),
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
          ...operation(`retrieve_${noun}_id_by_name`, 'Tell the id of the folder with a name'),
          deprecated: true,
          params: FolderNameParams,
          response: { 200: Id('source') },
        },
      },
      async ({ scope, params }, reply) => sendString(reply, await folderIdOf(scope, params.name)),
    )
  }
