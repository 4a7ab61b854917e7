import { Type } from 'typebox'
import { operationsOf } from '../../http/operation.ts'
import { prepared } from '../../http/prepared.ts'
import type { App } from '../../http/server.ts'
import { callerGone } from '../../http/sse.ts'
import { NoContent, Ref } from '../../lib/wire.ts'
import type { Embedders } from '../models/embedding.ts'
import { CreatePassage, CreatePassages, UpdatePassage } from '../passages/body.ts'
import { addPassages } from '../passages/insert.ts'
import { deletePassage, listPassages, modifyPassage, retrievePassage, withEmbeddings } from '../passages/passages.ts'
import { IncludeVectors, ListPassages } from '../passages/query.ts'
import { Passage } from '../passages/schema.ts'
import { prepareBatch, preparePassage } from './new-passages.ts'
import { ArchivePassageParams, ArchiveParams as params } from './schema.ts'

const config = { callsUpstream: true }
const one = { 200: Ref(Passage) }
const many = { 200: Type.Array(Ref(Passage)) }

/** The largest body of a batch, in largest bodies of other requests. */
const BATCH = 4

const operations = operationsOf('passages', {
  list_passages: [
    'List the passages of an archive, oldest first',
    { params, querystring: ListPassages, response: many },
  ],
  create_passage: [
    'Create a passage',
    { params, querystring: IncludeVectors, body: CreatePassage, response: one },
    config,
  ],
  create_passages: [
    'Create passages in the order given: all of them or, if one cannot be, none',
    { params, querystring: IncludeVectors, body: CreatePassages, response: many },
    config,
  ],
  retrieve_passage: [
    'Retrieve a passage of an archive',
    { params: ArchivePassageParams, querystring: IncludeVectors, response: one },
  ],
  modify_passage: [
    'Change the tags and the metadata of a passage of an archive',
    { params: ArchivePassageParams, body: UpdatePassage, response: one },
  ],
  delete_passage: ['Delete a passage of an archive', { params: ArchivePassageParams, response: { 204: NoContent } }],
})

/**
 * `/v1/archives/{archive_id}/passages`. `bodyLimit`: the largest body of other requests, in bytes. `embedded`: whether the
 * database is the embedded one.
 */
export const passageRoutes = (embedders: Embedders, bodyLimit: number, embedded: boolean) => async (app: App) => {
  app.get('/:archive_id/passages', operations.list_passages, ({ scope, params, query }, reply) =>
    listPassages(scope, params.archive_id, query, callerGone(reply)),
  )

  app.post(
    '/:archive_id/passages',
    prepared({
      ...operations.create_passage,
      prepare: ({ scope, params, body }) => preparePassage(scope, embedders, params.archive_id, body),
      async handle({ scope, params, query }, { list, vectors }) {
        const [made] = await addPassages(scope, params, list, vectors())
        return query.include ? retrievePassage(scope, params.archive_id, made!.id, query) : made!
      },
    }),
  )

  app.post(
    '/:archive_id/passages/batch',
    prepared({
      ...operations.create_passages,
      bodyLimit: BATCH * bodyLimit,
      prepare: ({ scope, params, query, body }) =>
        prepareBatch(scope, embedders, params.archive_id, body.passages, { ...query, embedded }),
      handle: async ({ scope, params, query }, { list, vectors }) =>
        withEmbeddings(scope, await addPassages(scope, params, list, vectors()), query),
    }),
  )

  app.get('/:archive_id/passages/:passage_id', operations.retrieve_passage, ({ scope, params, query }) =>
    retrievePassage(scope, params.archive_id, params.passage_id, query),
  )

  app.patch('/:archive_id/passages/:passage_id', operations.modify_passage, ({ scope, params, body }) =>
    modifyPassage(scope, params.archive_id, params.passage_id, body),
  )

  app.delete('/:archive_id/passages/:passage_id', operations.delete_passage, ({ scope, params }) =>
    deletePassage(scope, params.archive_id, params.passage_id),
  )
}
