import { Type } from 'typebox'
import type { App } from '../../http/server.ts'
import { CreateFolder, UpdateFolder } from './body.ts'
import { createFolder, type Detach, deleteFolder, modifyFolder } from './folders.ts'
import type { FolderForm } from './forms.ts'

/** Makes, retrieves, changes and deletes a folder; `detachFromAgents` goes before a deletion. */
export const folderRoutes =
  ({ noun, resource, response, path, params, idIn, operation }: FolderForm, detachFromAgents: Detach) =>
  async (app: App) => {
    app.post(
      '/',
      { schema: { ...operation(`create_${noun}`, 'Create a folder'), body: CreateFolder, response } },
      ({ scope, body }) => createFolder(scope, resource, body),
    )

    app.get(
      path,
      { schema: { ...operation(`retrieve_${noun}`, 'Retrieve a folder'), params, response } },
      ({ scope, params }) => scope.retrieve(resource, idIn(params)),
    )

    app.patch(
      path,
      { schema: { ...operation(`modify_${noun}`, 'Modify a folder'), params, body: UpdateFolder, response } },
      ({ scope, params, body }) => modifyFolder(scope, resource, idIn(params), body),
    )

    app.delete(
      path,
      {
        schema: {
          ...operation(`delete_${noun}`, 'Delete a folder and its files'),
          params,
          response: { 200: Type.Null() },
        },
      },
      async ({ scope, params }) => {
        await deleteFolder(scope, idIn(params), detachFromAgents)
        return null
      },
    )
  }
