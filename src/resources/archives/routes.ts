import { Type } from 'typebox'
import type { VectorStores } from '../../embed/stores.ts'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import { NoContent, Ref } from '../../lib/wire.ts'
import { createArchive, deleteArchive, listArchives, modifyArchive } from './archives.ts'
import { Archive, ArchiveParams, archives, CreateArchive, ListArchives, UpdateArchive } from './schema.ts'
import { checkModel, checkNewArchive } from './store.ts'

const tags = ['archives']
const params = ArchiveParams
const one = { 200: Ref(Archive) }
const config = { callsUpstream: true }

/** `/v1/archives` */
export const archiveRoutes = (stores: VectorStores) => async (app: App) => {
  app.get(
    '/',
    {
      schema: {
        operationId: 'list_archives',
        summary: 'List archives, newest first',
        tags,
        querystring: ListArchives,
        response: { 200: Type.Array(Ref(Archive)) },
      },
    },
    ({ scope, query }) => listArchives(scope, query),
  )

  app.post(
    '/',
    prepared({
      config,
      schema: { operationId: 'create_archive', summary: 'Create an archive', tags, body: CreateArchive, response: one },
      prepare: ({ scope, body }) => checkNewArchive(scope, stores, body),
      handle: ({ scope, body }) => createArchive(scope, body),
    }),
  )

  app.get(
    '/:archive_id',
    { schema: { operationId: 'retrieve_archive', summary: 'Retrieve an archive', tags, params, response: one } },
    ({ scope, params }) => scope.retrieve(archives, params.archive_id),
  )

  app.patch(
    '/:archive_id',
    prepared({
      config,
      schema: {
        operationId: 'modify_archive',
        summary: 'Modify an archive',
        tags,
        params,
        body: UpdateArchive,
        response: one,
      },
      prepare: ({ scope, params, body }) => checkModel(scope, stores, params.archive_id, body),
      handle: ({ scope, params, body }) => modifyArchive(scope, params.archive_id, body),
    }),
  )

  const remove = { operationId: 'delete_archive', summary: 'Delete an archive' }
  app.delete(
    '/:archive_id',
    { schema: { ...remove, tags, params, response: { 204: NoContent } } },
    async ({ scope, params }, reply) => {
      await deleteArchive(scope, params.archive_id)
      reply.code(204)
    },
  )
}
