import { Type } from 'typebox'
import type { VectorStores } from '../../embed/stores.ts'
import { operationsOf } from '../../http/operation.ts'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import { NoContent, Ref } from '../../lib/wire.ts'
import { createArchive, deleteArchive, listArchives, modifyArchive } from './archives.ts'
import { Archive, ArchiveParams, archives, CreateArchive, ListArchives, UpdateArchive } from './schema.ts'
import { checkModel, checkNewArchive } from './store.ts'

const params = ArchiveParams
const one = { 200: Ref(Archive) }
const config = { callsUpstream: true, namesModels: 'refused' } as const

const operations = operationsOf('archives', {
  list_archives: [
    'List archives, newest first',
    { querystring: ListArchives, response: { 200: Type.Array(Ref(Archive)) } },
  ],
  create_archive: ['Create an archive', { body: CreateArchive, response: one }, config],
  retrieve_archive: ['Retrieve an archive', { params, response: one }],
  modify_archive: ['Modify an archive', { params, body: UpdateArchive, response: one }, config],
  delete_archive: ['Delete an archive', { params, response: { 204: NoContent } }],
})

/** `/v1/archives` */
export const archiveRoutes = (stores: VectorStores) => async (app: App) => {
  app.get('/', operations.list_archives, ({ scope, query }) => listArchives(scope, query))

  app.post(
    '/',
    prepared({
      ...operations.create_archive,
      prepare: ({ scope, body }) => checkNewArchive(scope, stores, body),
      handle: ({ scope, body }) => createArchive(scope, body),
    }),
  )

  app.get('/:archive_id', operations.retrieve_archive, ({ scope, params }) =>
    scope.retrieve(archives, params.archive_id),
  )

  app.patch(
    '/:archive_id',
    prepared({
      ...operations.modify_archive,
      prepare: ({ scope, params, body }) => checkModel(scope, stores, params.archive_id, body),
      handle: ({ scope, params, body }) => modifyArchive(scope, params.archive_id, body),
    }),
  )

  app.delete('/:archive_id', operations.delete_archive, ({ scope, params }) => deleteArchive(scope, params.archive_id))
}
